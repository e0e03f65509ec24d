'use strict';
// Credentials on requests: by the daemon where it knows how, else by what the package's credential says.
const { merge } = require('./paths');
const { filled } = require('./templates');

const OPENED = new WeakMap();

// The values of the node's credential of this kind, as the package's types have them.
async function valuesOf(host, kind) {
  let opened = OPENED.get(host);
  if (!opened) OPENED.set(host, (opened = new Map()));
  if (!opened.has(kind)) opened.set(kind, host.bridge.ask('credential', { kind }).then((values) => shaped(host.credentialType(kind), values)));
  return structuredClone(await opened.get(kind));
}

function shaped(type, values) {
  const made = { ...values };
  for (const property of type?.properties ?? []) {
    const given = made[property.name];
    const value = given === undefined || given === '' ? property.default : given;
    if (property.type === 'boolean') made[property.name] = value === true || value === 'true';
    else if (property.type === 'number') made[property.name] = value === '' || value === undefined ? value : Number(value);
    else if (value !== undefined) made[property.name] = value;
  }
  const tokens = made.oauthTokenData;
  if (typeof tokens === 'string') made.oauthTokenData = JSON.parse(tokens);
  for (const [name, value] of Object.entries(made)) if (typeof value === 'string' && value.startsWith('=')) made[name] = filled(value, { $self: made });
  return made;
}

// Calls `send(options, auth)`; auth names the kind that the daemon is to put on the request.
async function signed(host, kind, options, given, helpers, send) {
  const type = host.credentialType(kind);
  const authenticate = type?.authenticate;
  if (given === undefined && (authenticate === undefined || host.daemonSigns(kind))) return send(options, kind);
  const values = given === undefined ? await valuesOf(host, kind) : shaped(type, given);
  if (typeof type.preAuthentication === 'function') Object.assign(values, await type.preAuthentication.call({ helpers }, values));
  if (typeof authenticate === 'function') return send(await authenticate.call(type, values, structuredCloneOf(options)));
  return send(authenticate === undefined ? options : generic(authenticate, values, options));
}

// Bodies may hold streams and forms, which cannot be copied.
function structuredCloneOf(options) {
  return { ...options, headers: { ...options.headers }, qs: typeof options.qs === 'object' ? { ...options.qs } : options.qs };
}

// `authenticate: {type: 'generic', properties: {headers, qs, body, auth}}`
function generic(authenticate, values, options) {
  const more = filled(authenticate.properties ?? {}, { $credentials: values });
  const made = structuredCloneOf(options);
  if (more.headers) made.headers = { ...made.headers, ...more.headers };
  if (more.qs) made.qs = { ...made.qs, ...more.qs };
  if (more.body) made.body = merge(merge({}, made.body ?? {}), more.body);
  if (more.auth) made.auth = { ...made.auth, ...more.auth };
  return made;
}

// Tries a credential with the request that its kind names. Returns nothing, or throws with what is wrong.
async function tested(type, values, requests) {
  const shapedValues = shaped(type, values);
  const request = filled(type.test.request, { $credentials: shapedValues });
  let options = { ...request, returnFullResponse: true, ignoreHttpStatusErrors: true };
  if (typeof type.authenticate === 'function') options = await type.authenticate.call(type, shapedValues, options);
  else if (type.authenticate) options = generic(type.authenticate, shapedValues, options);
  const reply = await requests.httpRequest(options);
  for (const rule of type.test.rules ?? []) {
    const { value, key, message } = rule.properties;
    if (rule.type === 'responseCode' && reply.statusCode === value) throw new Error(message);
    if (rule.type === 'responseSuccessBody' && reply.body?.[key] === value) throw new Error(message);
  }
  if (reply.statusCode >= 400) throw new Error(`The service answered with the status ${reply.statusCode}.`);
}

module.exports = { valuesOf, signed, tested, shaped };
