'use strict';
// What packages import as `n8n-workflow`, written for this host: errors, names of connections, and small helpers. Types
// are gone at run time, so little else is asked for. A name that is not here gives a clear error when it is used.
const { get, set, merge } = require('./paths');

const OF_STATUS = {
  300: 'Multiple response choices available - the service gives more than one answer',
  400: 'Bad request - please check your parameters',
  401: 'Authorization failed - please check your credentials',
  402: 'Payment required - perhaps check your payment details?',
  403: 'Forbidden - perhaps check your credentials?',
  404: 'The resource you are requesting could not be found',
  405: 'Method not allowed - please check you are using the right HTTP method',
  429: 'The service is receiving too many requests from you',
  500: 'The service was not able to process your request',
  502: 'Bad gateway - the service failed to handle your request',
  503: 'Service unavailable - try again later or consider setting this node to retry automatically (in the node settings)',
  504: 'Gateway timed out - perhaps try again later?',
};

class ApplicationError extends Error {
  constructor(message, options = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = this.constructor.name;
    this.level = options.level ?? 'error';
    this.tags = options.tags ?? {};
    this.extra = options.extra;
  }
}
class UnexpectedError extends ApplicationError {}
class OperationalError extends ApplicationError {}
class UserError extends ApplicationError {}
class WorkflowOperationError extends ApplicationError {}
class ExpressionError extends ApplicationError {}

class NodeError extends Error {
  constructor(node, error) {
    const isError = error instanceof Error;
    super(isError ? error.message : '', isError ? { cause: error } : undefined);
    this.node = node;
    this.timestamp = Date.now();
    this.context = {};
    this.description = undefined;
    this.messages = [];
    if (isError) {
      if (error.description !== undefined) this.description = error.description;
      if (error.context) this.context = { ...error.context };
    }
    Object.defineProperty(this, 'node', { enumerable: false });
  }

  place(options) {
    if (options.itemIndex !== undefined) this.context.itemIndex = options.itemIndex;
    if (options.runIndex !== undefined) this.context.runIndex = options.runIndex;
    this.level = options.level ?? 'warning';
    this.functionality = options.functionality ?? 'regular';
    if (options.type) this.context.type = options.type;
    if (options.metadata) this.context.metadata = options.metadata;
  }
}

class NodeOperationError extends NodeError {
  constructor(node, error, options = {}) {
    super(node, typeof error === 'string' ? new Error(error) : error);
    this.name = 'NodeOperationError';
    if (options.message) this.message = options.message;
    if (options.description !== undefined) this.description = options.description;
    this.place(options);
  }
}

const MESSAGE_KEYS = ['cause', 'error', 'message', 'Message', 'msg', 'messages', 'description', 'reason', 'detail', 'details',
  'errors', 'errorMessage', 'errorMessages', 'ErrorMessage', 'error_message', '_error_message', 'errorDescription',
  'error_description', 'error_summary', 'error_info', 'title', 'text', 'field', 'err', 'type'];

// The first text below these keys.
function firstText(value, depth = 0) {
  if (value === null || value === undefined || depth > 6) return undefined;
  if (typeof value === 'string' || typeof value === 'number') return String(value) || undefined;
  if (Array.isArray(value)) {
    const found = value.map((one) => firstText(one, depth + 1)).filter((one) => one !== undefined);
    return found.length ? found.join(' | ') : undefined;
  }
  if (typeof value !== 'object' || Buffer.isBuffer(value)) return undefined;
  for (const key of MESSAGE_KEYS) {
    const found = firstText(value[key], depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

class NodeApiError extends NodeError {
  constructor(node, response, options = {}) {
    super(node, response instanceof Error ? response : undefined);
    this.name = 'NodeApiError';
    const error = response ?? {};
    const status = options.httpCode ?? error.httpCode ?? error.statusCode ?? error.status ?? error.response?.status ?? error.response?.statusCode ?? error.cause?.statusCode;
    this.httpCode = status === undefined || status === null ? null : String(status);
    const said = firstText(bodyOf(error));
    const known = OF_STATUS[this.httpCode] ?? (this.httpCode?.startsWith('4') ? 'Your request is invalid or could not be processed by the service' : this.httpCode?.startsWith('5') ? OF_STATUS[500] : undefined);
    const original = error.message ?? firstText(error);
    this.messages = original ? [String(original)] : [];
    this.message = options.message || known || original || 'UNKNOWN ERROR - check the detailed error for more information';
    this.description = options.description ?? said ?? error.description ?? (known && original !== this.message ? original : undefined);
    this.errorResponse = bodyOf(error);
    Object.defineProperty(this, 'errorResponse', { enumerable: false });
    this.place(options);
  }
}

function bodyOf(error) {
  const found = error.response?.data ?? error.response?.body ?? error.error ?? error.cause?.error;
  if (found !== undefined) return found;
  return error instanceof Error ? undefined : error;
}

const NodeConnectionTypes = Object.freeze({
  AiAgent: 'ai_agent', AiChain: 'ai_chain', AiDocument: 'ai_document', AiEmbedding: 'ai_embedding',
  AiLanguageModel: 'ai_languageModel', AiMemory: 'ai_memory', AiOutputParser: 'ai_outputParser',
  AiRetriever: 'ai_retriever', AiReranker: 'ai_reranker', AiTextSplitter: 'ai_textSplitter', AiTool: 'ai_tool',
  AiVectorStore: 'ai_vectorStore', Main: 'main',
});

function deepCopy(value) {
  return value === undefined ? undefined : structuredClone(value);
}

function jsonParse(text, options = {}) {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (options.fallbackValue !== undefined) {
      return typeof options.fallbackValue === 'function' ? options.fallbackValue() : options.fallbackValue;
    }
    if (options.errorMessage) throw new ApplicationError(options.errorMessage);
    throw error;
  }
}

function jsonStringify(value, options = {}) {
  if (!options.replaceCircularRefs) return JSON.stringify(value);
  const above = [];
  return JSON.stringify(value, function (key, one) {
    if (one === null || typeof one !== 'object') return one;
    while (above.length && above.at(-1) !== this) above.pop();
    if (above.includes(one)) return '[Circular Reference]';
    above.push(one);
    return one;
  });
}

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function randomInt(low, high) {
  const [from, to] = high === undefined ? [0, low] : [low, high];
  return from + Math.floor(Math.random() * (to - from));
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
function randomString(low, high) {
  const length = high === undefined ? low : randomInt(low, high + 1);
  return Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');
}

const silent = { error() {}, warn() {}, info() {}, debug() {}, verbose() {}, log() {} };

class Node {}
class VersionedNodeType {
  constructor(nodeVersions, description) {
    this.nodeVersions = nodeVersions;
    this.description = description;
    this.currentVersion = description.defaultVersion ?? Math.max(...Object.keys(nodeVersions).map(Number));
  }

  getNodeType(version) {
    return this.nodeVersions[version ?? this.currentVersion];
  }
}

const NodeHelpers = {
  getNodeParameters: (properties, values) => values,
  getVersionedNodeType: (type, version) => (type.nodeVersions ? type.getNodeType(version) : type),
  getParameterValueByPath: (values, name, path) => get(values, path ? `${path}.${name}` : name),
  getNodeInputs: (workflow, node, description) => description.inputs,
  getNodeOutputs: (workflow, node, description) => description.outputs,
};

const known = {
  ApplicationError, UnexpectedError, OperationalError, UserError, WorkflowOperationError, ExpressionError, NodeError,
  NodeOperationError, NodeApiError, NodeConnectionTypes, NodeConnectionType: NodeConnectionTypes, NodeHelpers, Node,
  VersionedNodeType, deepCopy, jsonParse, jsonStringify, sleep, randomInt, randomString,
  LoggerProxy: { ...silent, init() {} }, Logger: silent, BINARY_ENCODING: 'base64', WAIT_INDEFINITELY: new Date('3000-01-01T00:00:00.000Z'),
  WAIT_TIME_UNLIMITED: '3000-01-01T00:00:00.000Z', SEND_AND_WAIT_OPERATION: 'sendAndWait',
  FORM_TRIGGER_NODE_TYPE: 'n8n-nodes-base.formTrigger', HTTP_REQUEST_NODE_TYPE: 'n8n-nodes-base.httpRequest',
  isObjectEmpty: (value) => value === null || value === undefined || Object.keys(value).length === 0,
  ensureError: (error) => (error instanceof Error ? error : new Error(String(error))),
  assert: (holds, message) => { if (!holds) throw new ApplicationError(message ?? 'Assertion failed'); },
  removeCircularRefs: (value) => JSON.parse(jsonStringify(value, { replaceCircularRefs: true })),
  replaceCircularReferences: (value) => JSON.parse(jsonStringify(value, { replaceCircularRefs: true })),
  updateDisplayOptions: (displayOptions, properties) => properties.map((property) => ({
    ...property, displayOptions: merge(merge({}, property.displayOptions ?? {}), displayOptions),
  })),
  isResourceLocatorValue: (value) => Boolean(value && typeof value === 'object' && 'mode' in value && 'value' in value),
  fileTypeFromMimeType: (type) => ['image', 'audio', 'video'].find((one) => type.startsWith(`${one}/`)) ?? (type.startsWith('text/html') ? 'html' : type === 'application/pdf' ? 'pdf' : type.startsWith('text/') || type.startsWith('application/json') ? 'text' : undefined),
  createDeferredPromise: () => {
    const made = {};
    made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
    return made;
  },
  traverseNodeParameters: () => {}, setPath: set,
};

// Whoever imports it looks for `__esModule` and the like, which may be missing; any other name fails when it is called.
module.exports = new Proxy(known, {
  get(target, name) {
    if (name in target || typeof name === 'symbol' || name === '__esModule' || name === 'default' || name === 'then') {
      return target[name];
    }
    return function absent() {
      throw new Error(`This package uses ${name} of n8n-workflow, which community nodes do not have here.`);
    };
  },
});
