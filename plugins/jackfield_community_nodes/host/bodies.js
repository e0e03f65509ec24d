'use strict';
// Bodies of requests as bytes with their type.
const { isPlain } = require('./paths');

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

async function ofStream(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

// { bytes, type } of whatever a package gives as a body; undefined: there is none.
async function bodyOf(given, type) {
  if (given === undefined || given === null) return undefined;
  if (Buffer.isBuffer(given)) return { bytes: given };
  if (given instanceof ArrayBuffer || ArrayBuffer.isView(given)) return { bytes: Buffer.from(given.buffer ?? given) };
  if (given instanceof URLSearchParams) return { bytes: Buffer.from(given.toString()), type: FORM_TYPE };
  if (given instanceof FormData || given instanceof Blob) return ofWeb(given);
  if (typeof given.getHeaders === 'function') return ofFormData(given);
  if (typeof given.pipe === 'function') return { bytes: await ofStream(given) };
  if (typeof given === 'object' && type?.startsWith(FORM_TYPE)) return { bytes: Buffer.from(query(given)), type: FORM_TYPE };
  if (typeof given === 'object' && type?.startsWith('multipart/form-data')) return ofFields(given);
  if (typeof given === 'object') return { bytes: Buffer.from(JSON.stringify(given)), type: JSON_TYPE };
  return { bytes: Buffer.from(String(given)) };
}

async function ofWeb(given) {
  const response = new Response(given);
  return { bytes: Buffer.from(await response.arrayBuffer()), type: response.headers.get('content-type') ?? undefined, own: true };
}

// The class FormData of the package form-data, which is a stream of old style.
async function ofFormData(form) {
  const type = form.getHeaders()['content-type'];
  if (typeof form.getBuffer === 'function' && !form._streams?.some((part) => part && typeof part.pipe === 'function')) {
    return { bytes: form.getBuffer(), type, own: true };
  }
  const { PassThrough } = require('node:stream');
  return { bytes: await ofStream(form.pipe(new PassThrough())), type, own: true };
}

// Fields as the old package `request` had them: values, or `{value, options: {filename, contentType}}`.
async function ofFields(fields) {
  const form = new FormData();
  for (const [name, given] of Object.entries(fields)) {
    for (const one of Array.isArray(given) ? given : [given]) {
      const value = isPlain(one) && 'value' in one ? one.value : one;
      const { filename, contentType } = (isPlain(one) && one.options) || {};
      if (Buffer.isBuffer(value) || (value && typeof value.pipe === 'function')) {
        const bytes = Buffer.isBuffer(value) ? value : await ofStream(value);
        form.append(name, new Blob([bytes], { type: contentType ?? 'application/octet-stream' }), filename ?? name);
      } else if (filename !== undefined) {
        form.append(name, new Blob([String(value)], { type: contentType ?? 'application/octet-stream' }), filename);
      } else form.append(name, isPlain(value) ? JSON.stringify(value) : String(value));
    }
  }
  return ofWeb(form);
}

// A query as servers of PHP and the like read it: `a[b]=1`, and lists by `format`.
function query(values, format = 'indices') {
  const pairs = [];
  const add = (name, value) => {
    if (value === undefined) return;
    if (Array.isArray(value)) {
      if (format === 'comma') pairs.push([name, value.join(',')]);
      else value.forEach((one, index) => add(format === 'repeat' ? name : format === 'brackets' ? `${name}[]` : `${name}[${index}]`, one));
    } else if (isPlain(value)) for (const [key, one] of Object.entries(value)) add(`${name}[${key}]`, one);
    else pairs.push([name, value === null ? '' : value instanceof Date ? value.toISOString() : String(value)]);
  };
  for (const [name, value] of Object.entries(values ?? {})) add(name, value);
  return pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
}

module.exports = { bodyOf, ofFields, query, JSON_TYPE, FORM_TYPE };
