'use strict';
// The helpers that send requests. Each request is sent by the daemon, whose guard of the network, proxies and limits
// hold; nothing else leads out of this process.
const { Readable } = require('node:stream');
const { isPlain } = require('./paths');
const { bodyOf, ofFields, query, JSON_TYPE, FORM_TYPE } = require('./bodies');

class Requests {
  constructor(bridge) {
    this.bridge = bridge;
  }

  // One exchange. call: method, url, headers (object), body (bytes), and what the daemon's client knows beside.
  async send(call) {
    const reply = await this.bridge.ask('http', {
      ...call,
      headers: pairs(call.headers),
      body: call.body === undefined ? null : Buffer.from(call.body).toString('base64'),
    });
    const headers = {};
    for (const [name, value] of reply.headers) {
      if (name === 'set-cookie') (headers[name] ??= []).push(value);
      else headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
    }
    return { status: reply.status, statusText: reply.reason, headers, bytes: Buffer.from(reply.body, 'base64'), url: reply.url };
  }

  // `helpers.httpRequest`
  async httpRequest(options, auth) {
    const headers = lowered(options.headers);
    const method = (options.method ?? 'GET').toUpperCase();
    const body = method === 'GET' || isEmpty(options.body) ? undefined : await bodyOf(options.body, headers['content-type']);
    if (options.json === true) headers.accept ??= JSON_TYPE;
    else headers.accept ??= options.json === false || options.encoding ? '*/*' : 'application/json,text/*;q=0.99';
    typed(headers, body);
    if (options.auth) headers.authorization = basic(options.auth);
    const sent = {
      method,
      url: address(options.url, options.baseURL, options.qs, options.arrayFormat ?? 'indices'),
      headers,
      body: body?.bytes,
      follow: options.disableFollowRedirect ? 'none' : 'all',
      maxRedirects: options.maxRedirects,
      timeout: options.timeout,
      verify: !options.skipSslCertificateValidation,
      proxy: proxyOf(options.proxy),
      auth,
    };
    const reply = await this.send(sent);
    const data = contentOf(reply, options.encoding);
    if (!isAccepted(reply.status, options.ignoreHttpStatusErrors)) throw failed(reply, data, sent);
    if (!options.returnFullResponse) return data;
    return { body: data, headers: reply.headers, statusCode: reply.status, statusMessage: reply.statusText };
  }

  // `helpers.request`, as the old package of this name had it
  async request(first, second, auth) {
    const options = typeof first === 'string' ? { ...second, uri: first } : { ...first };
    const headers = lowered(options.headers);
    const method = (options.method ?? 'GET').toUpperCase();
    let body;
    if (options.form !== undefined) {
      const form = typeof options.form === 'string' ? options.form : query(options.form);
      body = { bytes: Buffer.from(form), type: FORM_TYPE };
    } else if (options.formData !== undefined) {
      body = typeof options.formData.getHeaders === 'function' ? await bodyOf(options.formData) : await ofFields(options.formData);
    } else if (!(isEmpty(options.body) && ['GET', 'HEAD'].includes(method))) {
      body = await bodyOf(options.body, headers['content-type']);
    }
    if (options.json !== undefined && options.json !== false) headers.accept ??= JSON_TYPE;
    if (options.json && typeof options.json === 'object') body ??= await bodyOf(options.json);
    typed(headers, body);
    const user = options.auth;
    if (user?.bearer) headers.authorization = `Bearer ${user.bearer}`;
    else if (user) headers.authorization = basic({ username: user.username ?? user.user, password: user.password ?? user.pass });
    const format = options.useQuerystring || options.qsStringifyOptions?.arrayFormat === 'repeat' ? 'repeat' : (options.qsStringifyOptions?.arrayFormat ?? 'indices');
    const follow = options.followRedirect === false ? 'none' : options.followAllRedirects || method === 'GET' || method === 'HEAD' ? 'all' : 'reads';
    const sent = {
      method, url: address(options.uri ?? options.url, options.baseURL ?? options.baseUrl, options.qs, format), headers, body: body?.bytes, follow,
      maxRedirects: options.maxRedirects, timeout: options.timeout, verify: options.rejectUnauthorized !== false,
      proxy: proxyOf(options.proxy), auth,
    };
    const reply = await this.send(sent);
    let data;
    if (options.encoding === null) data = reply.bytes;
    else if (options.encoding === 'arraybuffer' || options.encoding === 'stream') data = contentOf(reply, options.encoding);
    else data = options.json ? parsed(reply.bytes.toString()) : reply.bytes.toString();
    if (data === '') data = undefined;
    if (options.simple !== false && (reply.status < 200 || reply.status >= 300)) throw failedOld(reply, data, sent);
    if (!options.resolveWithFullResponse) return data;
    return { body: data, headers: reply.headers, statusCode: reply.status, statusMessage: reply.statusText };
  }
}

// `ignoreHttpStatusErrors` is true, or names the statuses that are errors all the same.
function isAccepted(status, ignored) {
  if (ignored && typeof ignored === 'object') return !(ignored.except ?? []).includes(status);
  return Boolean(ignored) || (status >= 200 && status < 300);
}

function isEmpty(body) {
  if (body === undefined || body === null || body === '' || body === false) return true;
  return Array.isArray(body) || isPlain(body) ? !Object.keys(body).length : false;
}

function pairs(headers) {
  const made = [];
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (value === undefined || value === null) continue;
    for (const one of Array.isArray(value) ? value : [value]) made.push([name, String(one)]);
  }
  return made;
}

function lowered(headers) {
  return Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
}

// A form's own type has its boundary, so it counts before one that the package wrote.
function typed(headers, body) {
  if (body === undefined) return;
  if (body.own || !headers['content-type']) {
    if (body.type) headers['content-type'] = body.type;
  }
}

function basic(auth) {
  return `Basic ${Buffer.from(`${auth.username ?? ''}:${auth.password ?? ''}`).toString('base64')}`;
}

function address(url, base, values, format) {
  let whole = String(url ?? '');
  if (base && !/^([a-z][a-z\d+\-.]*:)?\/\//i.test(whole)) {
    whole = whole ? `${String(base).replace(/\/+$/, '')}/${whole.replace(/^\/+/, '')}` : String(base);
  }
  const more = typeof values === 'string' ? values : query(values, format);
  if (!more) return whole;
  const [before, fragment] = whole.split('#', 2);
  return before + (before.includes('?') ? '&' : '?') + more + (fragment === undefined ? '' : `#${fragment}`);
}

function proxyOf(proxy) {
  if (!proxy) return null;
  if (typeof proxy === 'string') return proxy;
  const user = proxy.auth ? `${encodeURIComponent(proxy.auth.username)}:${encodeURIComponent(proxy.auth.password)}@` : '';
  return `${proxy.protocol ?? 'http'}://${user}${proxy.host}:${proxy.port}`;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function contentOf(reply, encoding) {
  if (encoding === 'arraybuffer') return reply.bytes;
  if (encoding === 'stream') return Readable.from([reply.bytes]);
  if (encoding === 'blob') return new Blob([reply.bytes]);
  return encoding === 'text' || encoding === 'document' ? reply.bytes.toString() : parsed(reply.bytes.toString());
}

// As axios names it, which packages look into.
function failed(reply, data, sent) {
  const error = new Error(`Request failed with status code ${reply.status}`);
  const config = { method: sent.method.toLowerCase(), url: sent.url, headers: sent.headers };
  const response = { status: reply.status, statusText: reply.statusText, headers: reply.headers, data: shownData(data) };
  Object.assign(error, { name: 'AxiosError', code: reply.status < 500 ? 'ERR_BAD_REQUEST' : 'ERR_BAD_RESPONSE', isAxiosError: true, status: reply.status, httpCode: String(reply.status), config, response });
  return error;
}

function failedOld(reply, data, sent) {
  const error = failed(reply, data, sent);
  error.statusCode = reply.status;
  error.error = shownData(data);
  error.message = `${reply.status} - ${JSON.stringify(error.error)}`;
  error.options = error.config;
  return error;
}

function shownData(data) {
  return Buffer.isBuffer(data) ? parsed(data.toString()) : data;
}

module.exports = { Requests, parsed };
