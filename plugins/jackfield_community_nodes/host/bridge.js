'use strict';
// The line to the daemon: frames of four bytes of length (big endian) and JSON. One request of the daemon is answered at
// a time; meanwhile the host may ask the daemon any number of things, each with a number of its own.
const net = require('node:net');

// Bytes from which on the process is not used again: the next run would have too little left.
const MOST_HELD = (Number(process.argv[4]) || 1 << 30) / 2;
const LONGEST = Number(process.argv[2]) || 64 * 1024 * 1024;

class Bridge {
  constructor(serve) {
    this.serve = serve;
    this.waiting = new Map();
    this.number = 0;
    this.parts = [];
    this.size = 0;
    this.line = new net.Socket({ fd: 0, readable: true, writable: true });
    this.line.on('data', (chunk) => this.take(chunk));
    this.line.on('end', () => process.exit(0));
    this.line.on('error', () => process.exit(1));
  }

  take(chunk) {
    this.parts.push(chunk);
    this.size += chunk.length;
    while (this.size >= 4) {
      let whole = this.parts.length === 1 ? this.parts[0] : Buffer.concat(this.parts);
      this.parts = [whole];
      const length = whole.readUInt32BE(0);
      if (whole.length < 4 + length) return;
      const text = whole.toString('utf8', 4, 4 + length);
      whole = whole.subarray(4 + length);
      this.parts = whole.length ? [whole] : [];
      this.size = whole.length;
      this.handle(JSON.parse(text));
    }
  }

  handle(message) {
    if (message.request !== undefined) {
      const turn = new Turn(this);
      Promise.resolve()
        .then(() => this.serve(message.request, turn))
        .then(
          (result) => this.end(turn, { result, worn: isWorn() }),
          (error) => this.end(turn, { failure: told(error), worn: isWorn() }),
        );
      return;
    }
    const waiting = this.waiting.get(message.answer);
    if (!waiting) return;
    this.waiting.delete(message.answer);
    if (message.error) waiting.reject(Object.assign(new Error(message.error.message), message.error));
    else waiting.resolve(message.value);
  }

  // What was asked and not awaited gets no answer any more.
  end(turn, message) {
    turn.over = true;
    this.waiting.clear();
    this.send(message);
  }

  ask(what, given) {
    return new Promise((resolve, reject) => {
      const ask = ++this.number;
      this.waiting.set(ask, { resolve, reject });
      try {
        this.send({ ask, what, given });
      } catch (error) {
        this.waiting.delete(ask);
        reject(error);
      }
    });
  }

  send(message) {
    let body = Buffer.from(JSON.stringify(message, plain));
    if (body.length > LONGEST) {
      const error = new Error(`The package gave ${body.length} bytes at once; at most ${LONGEST} are allowed.`);
      if (message.ask !== undefined) throw error;
      body = Buffer.from(JSON.stringify({ failure: told(error) }));
    }
    const head = Buffer.alloc(4);
    head.writeUInt32BE(body.length);
    this.line.write(Buffer.concat([head, body]));
  }
}

// The line for one request of the daemon. Code that goes on after its answer, such as the rest of a `Promise.all` that
// failed, must not ask in the next run, whose credentials and files are others.
class Turn {
  constructor(bridge) {
    this.bridge = bridge;
    this.over = false;
  }

  ask(what, given) {
    if (this.over) return Promise.reject(new Error('The run that this belongs to has ended.'));
    return this.bridge.ask(what, given);
  }
}

function isWorn() {
  const { heapTotal, external, arrayBuffers } = process.memoryUsage();
  return heapTotal + Math.max(external, arrayBuffers) > MOST_HELD;
}

function plain(key, value) {
  return typeof value === 'bigint' ? value.toString() : value;
}

// What the daemon is told of an error that ends a request.
function told(error) {
  if (error === null || typeof error !== 'object') return { message: String(error), name: 'Error' };
  const message = text(error.message) || text(error.description) || error.name || 'The node failed without a message.';
  const item = error.context?.itemIndex ?? error.itemIndex;
  return {
    message,
    name: text(error.name) || 'Error',
    description: text(error.description),
    item: Number.isInteger(item) ? item : null,
    stack: typeof error.stack === 'string' ? error.stack.slice(0, 2000) : '',
  };
}

function text(value) {
  return typeof value === 'string' ? value : '';
}

module.exports = { Bridge, told };
