'use strict';
// `this.helpers` of a running node: items, files and requests.
const { Readable } = require('node:stream');
const path = require('node:path');
const { signed } = require('./credentials');
const { createDeferredPromise, NodeApiError, NodeError, NodeOperationError, sleep, UserError } = require('./workflow');

function returnJsonArray(data) {
  return [data].flat().map((one) => {
    if (one !== null && typeof one === 'object' && one.json) return { ...one, json: one.json };
    return { json: one };
  });
}

function constructExecutionMetaData(items, options) {
  return items.map((item) => ({ pairedItem: options?.itemData, ...item, json: item.json }));
}

function normalizeItems(items) {
  const list = Array.isArray(items) ? items : [items?.json ? items : { json: items }];
  const having = (name) => list.filter((one) => one !== null && typeof one === 'object' && name in one).length;
  if (having('json') === list.length) return list;
  if (having('json')) throw new UserError('Inconsistent item format');
  if (having('binary') === list.length) {
    return list.map(({ binary, ...rest }) => ({ json: rest, binary }));
  }
  if (having('binary')) throw new UserError('Inconsistent item format');
  return list.map((one) => ({ json: one }));
}

const TYPES = { pdf: 'application/pdf', png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp', svg: 'image/svg+xml', txt: 'text/plain', csv: 'text/csv', html: 'text/html', json: 'application/json', xml: 'text/xml', zip: 'application/zip', mp3: 'audio/mpeg', wav: 'audio/wav', mp4: 'video/mp4', md: 'text/markdown', docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation' };
const MAGIC = [[/^%PDF/, 'application/pdf'], [/^\x89PNG/, 'image/png'], [/^\xff\xd8\xff/, 'image/jpeg'], [/^GIF8/, 'image/gif'], [/^RIFF....WEBP/s, 'image/webp'], [/^PK\x03\x04/, 'application/zip'], [/^ID3/, 'audio/mpeg']];

function typeOf(bytes, name) {
  const known = TYPES[path.extname(name ?? '').slice(1).toLowerCase()];
  if (known) return known;
  const head = bytes.toString('latin1', 0, 16);
  return MAGIC.find(([pattern]) => pattern.test(head))?.[1] ?? 'text/plain';
}

async function bytesOf(given) {
  if (Buffer.isBuffer(given)) return given;
  if (given instanceof Uint8Array || given instanceof ArrayBuffer) return Buffer.from(given);
  if (typeof given === 'string') return Buffer.from(given);
  const chunks = [];
  for await (const chunk of given) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

function made(bridge, requests, context, host) {
  const file = (item, name) => {
    const given = typeof name === 'object' && name !== null ? name : host.input[item]?.binary?.[name];
    if (!given) throw new NodeOperationError(host.node, `This operation expects the node's input data to contain a binary file '${name}', but none was found [item ${item}]`, { itemIndex: item });
    return given;
  };
  const read = async (given) => {
    if (typeof given === 'object' && given.data !== undefined && !given.id) return Buffer.from(given.data, 'base64');
    return Buffer.from(await bridge.ask('read', { file: typeof given === 'object' ? given.id : given }), 'base64');
  };
  const prepareBinaryData = async (given, name, type) => {
    const bytes = await bytesOf(given);
    return bridge.ask('keep', { data: bytes.toString('base64'), name: name ? path.basename(name) : null, type: type ?? typeOf(bytes, name) });
  };
  const authenticated = async (send, kind, options, more) => {
    const given = more?.credentialsDecrypted?.data;
    try {
      return await signed(host, kind, options, given, one, send);
    } catch (error) {
      throw error instanceof NodeError ? error : new NodeApiError(host.node, error);
    }
  };
  const asCalled = (options, second) => (typeof options === 'string' ? { ...second, uri: options } : options);
  const one = {
    returnJsonArray, constructExecutionMetaData, normalizeItems, createDeferredPromise,
    copyInputItems: (items, names) => items.map((item) => Object.fromEntries(names.map((name) => [name, item.json[name] === undefined ? null : structuredClone(item.json[name])]))),
    httpRequest: (options) => requests.httpRequest(options),
    request: (options, second) => requests.request(asCalled(options, second)),
    httpRequestWithAuthentication: (kind, options, more) => authenticated((ready, auth) => requests.httpRequest(ready, auth), kind, options, more),
    requestWithAuthentication: (kind, options, more) => authenticated((ready, auth) => requests.request(ready, undefined, auth), kind, asCalled(options), more),
    requestOAuth2: (kind, options) => authenticated((ready, auth) => requests.request(ready, undefined, auth), kind, asCalled(options)),
    requestOAuth1: (kind, options) => authenticated((ready, auth) => requests.request(ready, undefined, auth), kind, asCalled(options)),
    prepareBinaryData,
    setBinaryDataBuffer: async (data, bytes) => ({ ...data, ...(await prepareBinaryData(bytes, data.fileName, data.mimeType)) }),
    assertBinaryData: (item, name) => (typeof item === 'string' ? file(host.item, item) : file(item, name)),
    getBinaryDataBuffer: async (item, name) => (typeof item === 'string' ? read(file(host.item, item)) : read(file(item, name))),
    getBinaryStream: async (id) => Readable.from([await read(id)]),
    getBinaryMetadata: async (id) => bridge.ask('file', { file: id }),
    binaryToBuffer: bytesOf,
    binaryToString: async (given, encoding) => (await bytesOf(given)).toString(encoding),
    detectBinaryEncoding: () => 'utf-8',
    getSSHClient: () => { throw new Error('SSH is not there for community nodes.'); },
    requestWithAuthenticationPaginated: async () => { throw new Error('requestWithAuthenticationPaginated is not there for community nodes.'); },
  };
  // They are called as `this.helpers.httpRequestWithAuthentication.call(this, ...)` as well; nothing depends on `this`.
  return { ...one, sleep };
}

module.exports = { made, returnJsonArray, constructExecutionMetaData, normalizeItems };
