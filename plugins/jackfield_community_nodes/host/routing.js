'use strict';
// Declarative nodes: requests that follow from a description. Documented under "declarative-style nodes" by n8n.
const { get, set, merge } = require('./paths');
const { isShown } = require('./showing');
const { filled } = require('./templates');
const { single } = require('./contexts');
const { valuesOf } = require('./credentials');
const { NodeApiError, NodeOperationError, sleep } = require('./workflow');

const TIMEOUT = 300000;

class Routing {
  constructor(host, type, parameters) {
    this.host = host;
    this.description = type.description;
    this.parameters = parameters;
    this.version = host.node.typeVersion;
  }

  async run() {
    const made = [];
    const kind = await this.credentialKind();
    const { batching } = this.parameters.get('requestOptions', 0, {});
    const size = batching?.batch?.batchSize > 0 ? batching.batch.batchSize : 1;
    const pause = batching?.batch?.batchInterval ?? 0;
    const pending = [];
    for (let item = 0; item < this.host.input.length; item++) {
      if (item && pause > 0 && item % size === 0) await sleep(pause);
      pending.push(this.one(item, kind));
    }
    for (const [item, found] of (await Promise.allSettled(pending)).entries()) {
      if (found.status === 'fulfilled') made.push(...found.value);
      else if (this.host.given.continueOnFail) made.push({ json: {}, error: found.reason });
      else throw this.failure(found.reason, item);
    }
    return [made];
  }

  failure(error, itemIndex) {
    if (error.statusCode === 429 || error.status === 429) error.message = "Try spacing your requests out using the batching settings under 'Options'";
    if (error instanceof NodeApiError || error instanceof NodeOperationError) {
      error.context.itemIndex = itemIndex;
      return error;
    }
    return new NodeApiError(this.host.node, error, { itemIndex, message: error?.message, description: error?.description, httpCode: error?.response ? String(error.response.status) : 'none' });
  }

  // The kind of the credential that counts, with its values; none: undefined.
  async credentialKind() {
    const known = this.description.credentials ?? [];
    if (!known.length) return undefined;
    let wanted = known[0];
    if (known.length > 1) {
      const method = this.parameters.get('authentication', 0);
      wanted = known.find((one) => one.displayOptions?.show?.authentication?.includes(method));
      if (!wanted) throw new NodeOperationError(this.host.node, `The node has no credential for the authentication "${method}".`);
    }
    try {
      return { name: wanted.name, values: await valuesOf(this.host, wanted.name) };
    } catch (error) {
      if (wanted.required) throw error;
      return undefined;
    }
  }

  async one(item, kind) {
    const context = single(this.host, this.description, this.parameters, item);
    const scope = this.scope(item, kind?.values);
    const work = { options: { qs: {}, body: {}, headers: {} }, preSend: [], postReceive: [], requestOperations: { ...this.description.requestOperations } };
    for (const [key, value] of Object.entries(this.description.requestDefaults ?? {})) work.options[key] = filled(value, scope);
    const top = this.parameters.raw;
    for (const property of this.description.properties) {
      const found = this.of(property, item, '', { ...scope, $value: get(this.parameters.of(item), property.name, []) }, top, context);
      if (found) join(work, found);
    }
    const { proxy, timeout, allowUnauthorizedCerts } = this.parameters.get('requestOptions', item, {});
    if (proxy) work.options.proxy = proxy;
    if (allowUnauthorizedCerts) work.options.skipSslCertificateValidation = true;
    work.options.timeout = timeout || TIMEOUT;
    const items = await this.requested(work, context, item, kind, scope);
    return work.maxResults ? items.slice(0, Number(work.maxResults)) : items;
  }

  scope(item, credentials) {
    const values = this.parameters.of(item);
    const present = this.host.input[item] ?? { json: {} };
    return {
      $parameter: parameterView(values), $rawParameter: this.parameters.raw, $credentials: credentials ?? {}, $version: this.version,
      $json: present.json, $binary: present.binary ?? {}, $itemIndex: item, $runIndex: 0, $now: new Date(), $nodeVersion: this.version,
      $value: undefined, $response: undefined, $responseItem: undefined, $index: undefined, $parent: undefined, $request: undefined, $pageCount: 0,
      $workflow: this.host.given.workflow ?? {}, $execution: this.host.given.execution ?? {}, $input: { item: present },
    };
  }

  // What a property, with all below it, adds to the request. here: the raw values beside it.
  of(property, item, path, scope, here, context) {
    if (!isShown(property, here, this.parameters.raw, this.version)) return undefined;
    const work = { options: { qs: {}, body: {}, headers: {} }, preSend: [], postReceive: [], requestOperations: {} };
    const place = path ? `${path}.${property.name}` : property.name;
    if (property.routing) this.direct(property, place, item, scope, context, work);
    if (!('options' in property)) return work;
    if (property.type === 'options') {
      const value = get(this.parameters.raw, place);
      const chosen = property.options.find((option) => option.value === value);
      if (chosen) join(work, this.of(chosen, item, place, { ...scope, $value: value }, here, context));
    } else if (property.type === 'collection') {
      const given = get(this.parameters.raw, place) ?? {};
      for (const option of property.options) {
        if (option.type !== undefined && Object.hasOwn(given, option.name)) join(work, this.of(option, item, place, scope, here, context));
      }
    } else if (property.type === 'fixedCollection') this.groups(property, place, item, scope, here, context, work);
    return work;
  }

  groups(property, place, item, scope, here, context, work) {
    for (const group of property.options) {
      const way = `${place}.${group.name}`;
      const given = get(this.parameters.of(item), way);
      if (given === undefined) continue;
      const rows = Array.isArray(given) ? given : [given];
      rows.forEach((row, index) => {
        const inner = property.typeOptions?.multipleValues ? `${way}[${index}]` : way;
        for (const option of group.values) join(work, this.of(option, item, inner, { ...scope, $index: index, $parent: row }, here, context));
      });
    }
  }

  direct(property, place, item, scope, context, work) {
    let value;
    if (property.type !== undefined) {
      value = this.parameters.get(place, item, null, { extractValue: property.extractValue !== undefined || property.type === 'resourceLocator' });
      if (value === null && get(this.parameters.of(item), place) === undefined) value = undefined;
    } else value = scope.$value;
    const seen = { ...scope, $value: value };
    const { request, send, output, operations } = property.routing;
    if (operations) work.requestOperations = { ...operations };
    for (const [key, given] of Object.entries(request ?? {})) work.options[key] = filled(given, seen);
    if (send) {
      if (send.property !== undefined) {
        const name = String(filled(send.property, seen));
        const sent = send.value ? filled(send.value, seen) : value;
        const target = send.type === 'body' ? work.options.body : work.options.qs;
        if (send.propertyInDotNotation === false) target[name] = sent;
        else set(target, name, sent);
      }
      if (send.paginate !== undefined) work.paginate = isTrue(filled(send.paginate, seen));
      work.preSend.push(...(send.preSend ?? []));
    }
    if (output) {
      if (output.maxResults !== undefined) work.maxResults = filled(output.maxResults, seen);
      const actions = (output.postReceive ?? []).filter((action) => typeof action === 'function' || action.enabled === undefined || isTrue(filled(action.enabled, seen)));
      if (actions.length) work.postReceive.push({ value, actions });
    }
  }

  async requested(work, context, item, kind, scope) {
    for (const hook of work.preSend) work.options = await hook.call(context, work.options);
    const send = (asked) => {
      const options = { ...asked.options, returnFullResponse: true };
      return kind ? context.helpers.httpRequestWithAuthentication(kind.name, options) : context.helpers.httpRequest(options);
    };
    const whole = async (asked) => this.received(context, await send(asked), asked, item, scope);
    const paging = work.paginate ? work.requestOperations?.pagination : undefined;
    if (typeof paging === 'function') return paging.call(Object.assign(Object.create(context), { makeRoutingRequest: whole }), work);
    if (paging?.type === 'generic') return this.pages(paging.properties, work, send, context, item, scope);
    if (paging?.type === 'offset') return this.offsets(paging.properties, work, whole);
    return whole(work);
  }

  async pages(properties, work, send, context, item, scope) {
    const made = [];
    const seen = { ...scope, $request: work.options, $response: {} };
    do {
      const more = filled(properties.request, seen);
      const reply = await send({ ...work, options: { ...work.options, ...more } });
      seen.$response = reply;
      made.push(...(await this.received(context, reply, work, item, scope)));
    } while (isTrue(filled(properties.continue, seen)));
    return made;
  }

  async offsets(properties, work, whole) {
    const made = [];
    const place = properties.type === 'body' ? 'body' : 'qs';
    const target = (work.options[place] ??= {});
    target[properties.limitParameter] = properties.pageSize;
    target[properties.offsetParameter] = 0;
    let rows;
    do {
      if (work.maxResults) {
        const missing = work.maxResults - made.length;
        if (missing < 1) break;
        target[properties.limitParameter] = Math.min(properties.pageSize, missing);
      }
      rows = await whole(work);
      target[properties.offsetParameter] += properties.pageSize;
      if (properties.rootProperty) {
        const found = get(rows[0]?.json, properties.rootProperty);
        if (found === undefined) throw new NodeOperationError(this.host.node, `The rootProperty "${properties.rootProperty}" could not be found on item.`);
        rows = found.map((json) => ({ json }));
      }
      made.push(...rows);
    } while (rows.length && rows.length === properties.pageSize);
    return made;
  }

  async received(context, reply, work, item, scope) {
    if (!work.postReceive.length) return Array.isArray(reply.body) ? reply.body.map((json) => ({ json })) : [{ json: reply.body }];
    let items = [{ json: reply.body }];
    for (const { value, actions } of work.postReceive) {
      for (const action of actions) items = await this.action(context, action, items, reply, { ...scope, $response: reply, $value: value });
    }
    return items;
  }

  async action(context, action, items, reply, scope) {
    if (typeof action === 'function') return action.call(context, items, reply);
    const given = action.properties;
    if (action.type === 'rootProperty') {
      return items.flatMap((item) => [get(item.json, given.property)].flat().map((json) => ({ json })));
    }
    if (action.type === 'filter') return items.filter((item) => isTrue(filled(given.pass, { ...scope, $responseItem: item.json })));
    if (action.type === 'limit') return items.slice(0, parseInt(filled(given.maxResults, scope), 10));
    if (action.type === 'set') return [{ json: filled(given.value, scope) }];
    if (action.type === 'sort') {
      const key = (item) => item.json[given.key]?.toString().toLowerCase() ?? '';
      return items.sort((one, two) => (key(one) < key(two) ? -1 : key(one) > key(two) ? 1 : 0));
    }
    if (action.type === 'setKeyValue') return items.map((item) => ({ json: filled(given, { ...scope, $responseItem: item.json }) }));
    if (action.type === 'binaryData') {
      const file = await context.helpers.prepareBinaryData(Buffer.from(reply.body));
      const name = filled(given.destinationProperty, scope);
      return items.map((item) => ({ ...item, json: item.json !== null && typeof item.json === 'object' && !Buffer.isBuffer(item.json) ? item.json : {}, binary: { [name]: file } }));
    }
    throw new NodeOperationError(this.host.node, `The step ${action.type} of an answer is not known.`);
  }
}

function isTrue(value) {
  return Boolean(value) && value !== 'false';
}

function join(work, found) {
  if (!found) return;
  work.paginate ??= found.paginate;
  work.maxResults = found.maxResults ? found.maxResults : work.maxResults;
  merge(work.options, found.options);
  work.preSend.push(...found.preSend);
  work.postReceive.push(...found.postReceive);
  Object.assign(work.requestOperations, found.requestOperations);
}

// `$parameter["name"]`, and `$parameter["a.b"]`.
function parameterView(values) {
  return new Proxy(values, { get: (target, name) => (typeof name === 'string' && !(name in target) ? get(target, name) : target[name]) });
}

module.exports = { Routing };
