'use strict';
// The little of `n8n-core` that packages ask for when they run.
const silent = { error() {}, warn() {}, info() {}, debug() {} };
module.exports = { BINARY_ENCODING: 'base64', LoggerProxy: silent, NodeExecuteFunctions: {} };
