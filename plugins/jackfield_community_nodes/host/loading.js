'use strict';
// Loads the classes of a package, and gives it what it imports of n8n's.
const Module = require('node:module');
const path = require('node:path');

const OURS = { 'n8n-workflow': './workflow.js', 'n8n-core': './core.js' };

function install() {
  const resolve = Module._resolveFilename;
  Module._resolveFilename = function (request, parent, ...rest) {
    const name = Object.keys(OURS).find((one) => request === one || request.startsWith(`${one}/`));
    if (name) return require.resolve(OURS[name]);
    if (request === 'n8n-nodes-base' || request.startsWith('n8n-nodes-base/')) {
      throw new Error(`The package imports ${request}, a part of n8n's own that is not here.`);
    }
    return resolve.call(this, request, parent, ...rest);
  };
}

// The instance of the class that a file names by its own name: `dist/nodes/Acme/Acme.node.js` has the class Acme.
function instance(root, file) {
  const exported = require(path.join(root, file));
  const name = path.basename(file).split('.')[0];
  const made = exported[name] ?? exported.default ?? Object.values(exported).find((one) => typeof one === 'function');
  if (typeof made !== 'function') throw new Error(`The file ${file} exports no class ${name}.`);
  return new made();
}

// Of a type with several versions, the one that a document names.
function versionOf(type, version) {
  if (!type.nodeVersions) return type;
  return type.nodeVersions[version] ?? type.nodeVersions[type.currentVersion ?? type.description.defaultVersion];
}

// Node's permission model lets code signal any process of its user; a package has none to signal.
function withoutSignals() {
  for (const name of ['kill', '_kill', '_debugProcess', '_debugEnd']) {
    Object.defineProperty(process, name, { value: refusedSignal, writable: false, configurable: false });
  }
}

function refusedSignal() {
  throw Object.assign(new Error('A package signals no process.'), { code: 'ERR_ACCESS_DENIED' });
}

module.exports = { install, withoutSignals, instance, versionOf };
