'use strict';
// What of Node.js itself makes requests goes through the daemon as well: `fetch`, and `http` and `https` with everything
// that is built on them, such as axios. Their client talks to a server in this process over a pair of streams in memory;
// that server hands each request to the daemon. Sockets of other kinds lead nowhere: the process has no network.
const http = require('node:http');
const https = require('node:https');
const { Duplex } = require('node:stream');
const { syncBuiltinESMExports } = require('node:module');

class Side extends Duplex {
  constructor() {
    super();
    this.other = null;
    this.resume_ = null;
  }

  _read() {
    const go = this.resume_;
    this.resume_ = null;
    if (go) go();
  }

  _write(chunk, encoding, done) {
    if (this.other.push(chunk)) done();
    else this.other.resume_ = done;
  }

  _final(done) {
    this.other.push(null);
    done();
  }

  setTimeout() { return this; }
  setNoDelay() { return this; }
  setKeepAlive() { return this; }
  ref() { return this; }
  unref() { return this; }
}

function connected() {
  const [one, two] = [new Side(), new Side()];
  one.other = two;
  two.other = one;
  return [one, two];
}

const HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'proxy-connection', 'te', 'upgrade', 'host', 'accept-encoding', 'expect']);

function install(requests) {
  const clientRequest = http.request;
  const server = http.createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers = {};
    for (const [name, value] of Object.entries(request.headers)) if (!HOP.has(name)) headers[name] = value;
    const { scheme, verify } = request.socket;
    const url = /^https?:/.test(request.url) ? request.url : `${scheme}://${request.headers.host}${request.url}`;
    try {
      const reply = await requests.send({ method: request.method, url, headers, body: chunks.length ? Buffer.concat(chunks) : undefined, follow: 'none', verify });
      const own = Object.fromEntries(Object.entries(reply.headers).filter(([name]) => !HOP.has(name) && name !== 'content-encoding'));
      response.writeHead(reply.status, reply.statusText, { ...own, 'content-length': reply.bytes.length, connection: 'close' });
      response.end(request.method === 'HEAD' ? undefined : reply.bytes);
    } catch (error) {
      request.socket.client.destroy(Object.assign(new Error(error.message), { code: 'ECONNREFUSED' }));
    }
  });

  class BridgeAgent extends http.Agent {
    constructor(scheme, verify) {
      super({ keepAlive: false });
      this.scheme = scheme;
      this.verify = verify;
      this.defaultPort = scheme === 'https' ? 443 : 80;
    }

    createConnection() {
      const [client, service] = connected();
      Object.assign(service, { scheme: this.scheme, verify: this.verify, client });
      client.encrypted = this.scheme === 'https';
      server.emit('connection', service);
      return client;
    }
  }

  const replaced = (scheme) => function request(...given) {
    const callback = typeof given.at(-1) === 'function' ? given.pop() : undefined;
    const [first, second] = given;
    const named = typeof first === 'string' || first instanceof URL ? optionsOf(new URL(first)) : {};
    const options = { ...named, ...(typeof first === 'string' || first instanceof URL ? second : first) };
    const wanted = options.protocol ? options.protocol.replace(':', '') : scheme;
    const agent = new BridgeAgent(wanted, options.rejectUnauthorized !== false && options.agent?.options?.rejectUnauthorized !== false);
    // `_defaultAgent` and `protocol` would be compared; the agent decides about both.
    return clientRequest.call(http, { ...options, protocol: 'http:', defaultPort: agent.defaultPort, agent, _defaultAgent: undefined, createConnection: undefined, socketPath: undefined }, callback);
  };
  const got = (request) => function get(...given) {
    const made = request(...given);
    made.end();
    return made;
  };
  for (const [module, scheme] of [[http, 'http'], [https, 'https']]) {
    module.request = replaced(scheme);
    module.get = got(module.request);
  }
  syncBuiltinESMExports();
  globalThis.fetch = async (input, init) => fetched(requests, input, init);
}

function optionsOf(url) {
  const auth = url.username || url.password ? `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}` : undefined;
  return { protocol: url.protocol, hostname: url.hostname.replace(/^\[|\]$/g, ''), port: url.port || undefined, path: url.pathname + url.search, auth };
}

const EMPTY = new Set([101, 204, 205, 304]);

async function fetched(requests, input, init) {
  const request = new Request(input, init);
  const body = request.body ? Buffer.from(await request.arrayBuffer()) : undefined;
  request.signal?.throwIfAborted();
  let reply;
  try {
    reply = await requests.send({
      method: request.method, url: request.url, headers: Object.fromEntries(request.headers), body,
      follow: request.redirect === 'follow' ? 'all' : 'none', maxRedirects: 20,
    });
  } catch (error) {
    throw new TypeError('fetch failed', { cause: error });
  }
  const headers = new Headers();
  for (const [name, value] of Object.entries(reply.headers)) for (const one of [value].flat()) if (name !== 'content-encoding') headers.append(name, one);
  const response = new Response(EMPTY.has(reply.status) ? null : reply.bytes, { status: reply.status, statusText: reply.statusText, headers });
  Object.defineProperty(response, 'url', { value: reply.url });
  return response;
}

module.exports = { install };
