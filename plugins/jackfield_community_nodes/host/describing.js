'use strict';
// A package's nodes and credentials as data, for the daemon's index.
const loading = require('./loading');

// What a document may have of a description; functions become names, so that somebody sees that they are there.
function plain(value, depth = 0) {
  if (depth > 40) return null;
  if (typeof value === 'function') return undefined;
  if (Array.isArray(value)) return value.map((one) => plain(one, depth + 1)).filter((one) => one !== undefined);
  if (value !== null && typeof value === 'object') {
    if (value instanceof RegExp) return value.source;
    const made = {};
    for (const [key, one] of Object.entries(value)) {
      if (key === 'routing' && depth > 0) continue;
      const kept = plain(one, depth + 1);
      if (kept !== undefined) made[key] = kept;
    }
    return made;
  }
  return value;
}

// Ways in which a node of this class can be run.
function work(type) {
  const has = (name) => typeof type[name] === 'function';
  return {
    execute: has('execute'), poll: has('poll'), trigger: has('trigger'), webhook: has('webhook'), supply: has('supplyData'),
    routing: !has('execute') && type.description.requestDefaults !== undefined || (!has('execute') && hasRouting(type.description.properties)),
    lists: Object.keys(type.methods?.loadOptions ?? {}), searches: Object.keys(type.methods?.listSearch ?? {}),
    tests: Object.keys(type.methods?.credentialTest ?? {}), mappers: Object.keys(type.methods?.resourceMapping ?? {}),
  };
}

function hasRouting(properties) {
  return (properties ?? []).some((one) => one.routing !== undefined || hasRouting(one.options) || hasRouting(one.values));
}

function node(root, file) {
  const made = loading.instance(root, file);
  const versions = made.nodeVersions ? Object.entries(made.nodeVersions) : [[null, made]];
  return {
    file,
    default: made.nodeVersions ? Number(made.currentVersion ?? made.description?.defaultVersion ?? versions.at(-1)[0]) : null,
    types: versions.map(([version, type]) => ({
      versions: version === null ? [type.description.version ?? 1].flat() : [Number(version)],
      description: plain({ ...type.description }), work: work(type),
    })),
  };
}

function credential(root, file) {
  const made = loading.instance(root, file);
  return {
    file,
    credential: plain({
      name: made.name, displayName: made.displayName, extends: made.extends, properties: made.properties,
      documentationUrl: made.documentationUrl, authenticate: made.authenticate, test: made.test,
    }),
    signsByFunction: typeof made.authenticate === 'function' || typeof made.preAuthentication === 'function',
    tests: made.test !== undefined,
  };
}

function described(root, given) {
  const problems = [];
  const each = (files, make) => files.flatMap((file) => {
    try {
      return [make(root, file)];
    } catch (error) {
      problems.push(`${file}: ${String(error?.message ?? error).split("\n")[0]}`);
      return [];
    }
  });
  return { nodes: each(given.nodes, node), credentials: each(given.credentials, credential), problems };
}

module.exports = { described };
