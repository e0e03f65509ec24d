// Runs the source of a Code node. The context serves this one run, so the script may change whatever it reaches.
(function (kit) {
  'use strict';

  const { Data, PulledLines, Fault, jsonText, outOfMemory } = kit;
  const { logLines, logLength } = kit.limits;
  const compile = eval;
  const { defineProperty } = Object;
  const { lineOf, messageOf, wrapped } = kit.errors;

  let current = null;
  kit.timezone = () => current?.head.timezone ?? 'UTC';

  // What the script prints: the first lines, each cut to a length.
  const logs = [];
  function shown(value) {
    if (typeof value === 'string') return value;
    if (value instanceof Error) return `${value.name}: ${value.message}`;
    try {
      return JSON.stringify(value) ?? String(value);
    } catch {
      return String(value);
    }
  }
  function print(...values) {
    if (logs.length < logLines) logs.push(values.map(shown).join(' ').slice(0, logLength));
    else if (logs.length === logLines) logs.push('(more lines were left out)');
  }

  const timers = new Map();
  let lastTimer = 0;
  function setTimer(repeat) {
    return (callback, delay = 0, ...values) => {
      const wait = Math.max(1, Number(delay) || 0);
      timers.set(++lastTimer, { due: Date.now() + wait, wait, repeat, call: () => callback(...values) });
      return lastTimer;
    };
  }
  const clearTimer = (id) => void timers.delete(id);

  function nextTimer() {
    let next = null;
    for (const [id, timer] of timers) if (!next || timer.due < next[1].due) next = [id, timer];
    return next;
  }

  function fire([id, timer]) {
    if (timer.repeat) timer.due += timer.wait;
    else timers.delete(id);
    timer.call();
  }

  const NO_NETWORK = 'A Code node has no network; call servers with an HTTP Request node before it.';
  const refuse = (message) => () => {
    throw new Error(message);
  };

  // The workflow's memory across executions: what the script leaves in it goes back with the answer.
  function staticData(kind) {
    const found = (current.head.static ??= {});
    if (kind !== 'global' && kind !== 'node') throw new Error("getWorkflowStaticData() needs 'global' or 'node'.");
    return (found[kind] ??= {});
  }

  function at(object, path, other) {
    const found = String(path)
      .replace(/\[(\w+)\]/g, '.$1')
      .split('.')
      .reduce((value, name) => value?.[name], object);
    return found === undefined ? other : found;
  }
  function getNodeParameter(name, index, other) {
    const found = at(current.facts.node.parameters ?? {}, name, typeof index === 'number' ? other : index);
    if (found === undefined) throw new Error(`The node has no parameter '${name}'.`);
    return found;
  }

  function extensionOf(name) {
    return /\.([^./\\]{1,20})$/.exec(name)?.[1];
  }
  // A size for people, three digits and a unit, as n8n has it in `fileSize`.
  function sizeText(bytes) {
    const power = bytes < 1000 ? 0 : Math.min(4, Math.floor(Math.log10(bytes) / 3));
    return `${power ? Number((bytes / 1000 ** power).toPrecision(3)) : bytes} ${['B', 'kB', 'MB', 'GB', 'TB'][power]}`;
  }
  // What n8n's `fileType` says of a media type.
  function groupOf(type) {
    const known = { 'application/json': 'json', 'text/html': 'html', 'application/pdf': 'pdf' }[type];
    const group = known ?? /^(?:image|audio|video|text)(?=\/)/.exec(type)?.[0];
    return group ? { fileType: group } : {};
  }
  const sizes = (bytes) => ({ fileSize: sizeText(bytes), bytes });
  const { Buffer } = kit.nodeGlobals;
  const binaryHelpers = {
    async getBinaryDataBuffer(index, name) {
      const file = (typeof index === 'number' ? current.item(index) : index)?.binary?.[name];
      if (!file) throw new Error(`The item ${index} has no file '${name}'.`);
      if (file.data === '' && file.id) {
        throw new Error(`The file '${name}' is too large for a Code node; the setting binary.inline_limit says up to which size files are handed to scripts.`);
      }
      return Buffer.from(file.data, 'base64');
    },
    async prepareBinaryData(content, fileName, mimeType = 'application/octet-stream') {
      const bytes = Buffer.from(content);
      const named = fileName === undefined ? {} : { fileName, fileExtension: extensionOf(fileName) };
      return { data: bytes.toString('base64'), mimeType, ...groupOf(mimeType), ...sizes(bytes.length), ...named };
    },
    async binaryToBuffer(content) {
      return Buffer.from(content);
    },
    async setBinaryDataBuffer(file, content) {
      return { ...file, data: Buffer.from(content).toString('base64'), ...sizes(content.length), id: undefined };
    },
  };
  const helpers = {
    ...binaryHelpers,
    httpRequest: refuse(NO_NETWORK),
    httpRequestWithAuthentication: refuse(NO_NETWORK),
    requestWithAuthentication: refuse(NO_NETWORK),
    request: refuse(NO_NETWORK),
  };
  const isItem = (key) => (value) => typeof value === 'object' && value !== null && key in value;
  function ofOneForm(items, key) {
    const found = items.filter(isItem(key)).length;
    if (found && found < items.length) throw new Error('Inconsistent item format');
    return found > 0;
  }
  const olderHelpers = {
    ...helpers,
    returnJsonArray(values) {
      return [values].flat(1).map((value) => (value?.json ? { ...value } : { json: value }));
    },
    normalizeItems(given) {
      const items = Array.isArray(given) ? given : [given?.json ? given : { json: given }];
      if (ofOneForm(items, 'json')) return items;
      if (ofOneForm(items, 'binary')) return items.map(({ binary, ...json }) => ({ json, binary }));
      return items.map((json) => ({ json }));
    },
    constructExecutionMetaData: (items, { itemData }) => items.map((item) => ({ ...item, pairedItem: itemData })),
  };
  // What the Function nodes of old offer beside, also as `this`; the Code node has no more of it than `helpers`.
  const OLDER = new Set(['function', 'functionItem']);
  const node = {
    helpers: olderHelpers,
    getNodeParameter,
    getWorkflowStaticData: staticData,
    getInputData: () => current.all(),
    getNode: () => ({ ...current.facts.node }),
    getWorkflow: () => current.facts.workflow,
    getExecutionId: () => current.facts.execution.id,
    getMode: () => current.facts.execution.mode,
    getTimezone: () => current.head.timezone,
    continueOnFail: () => (current.facts.node.onError ?? 'stopWorkflow') !== 'stopWorkflow',
  };

  // A template as parameters have it; the variables are those of the script.
  function evaluateExpression(template) {
    const value = (source) => {
      try {
        return compile(`(${source}\n)`);
      } catch {
        return undefined;
      }
    };
    const text = String(template).replace(/^=/, '');
    const only = /^\{\{((?:(?!\}\}).)*)\}\}$/s.exec(text);
    return only ? value(only[1]) : text.replace(/\{\{(.*?)\}\}/gs, (_, source) => value(source) ?? '');
  }

  const console = { log: print, info: print, warn: print, error: print, debug: print, trace: print, table: print };
  const GLOBALS = {
    ...kit.nodeGlobals,
    console,
    setTimeout: setTimer(false),
    setInterval: setTimer(true),
    setImmediate: (callback, ...values) => setTimer(false)(callback, 0, ...values),
    clearTimeout: clearTimer,
    clearInterval: clearTimer,
    clearImmediate: clearTimer,
    $getWorkflowStaticData: staticData,
    $evaluateExpression: evaluateExpression,
    helpers,
    module: { exports: {} },
    global: globalThis,
  };
  async function setBinaryDataAsync(item, files) {
    if (!item) throw new Error('setBinaryDataAsync() needs the item.');
    if (!files) throw new Error('setBinaryDataAsync() needs the files.');
    for (const [name, file] of Object.entries(files)) {
      files[name] = await binaryHelpers.setBinaryDataBuffer(file, Buffer.from(file.data, 'base64'));
    }
    item.binary = files;
  }
  const ofFiles = { getBinaryDataAsync: async (item) => item?.binary, setBinaryDataAsync };
  const OF_OLDER = { ...ofFiles, getWorkflowStaticData: staticData, getNodeParameter, getExecutionId: node.getExecutionId, helpers: olderHelpers, $helpers: olderHelpers };
  // Of expressions, and of an engine that is newer than that of n8n.
  const NOT_IN_CODE = ['$ifEmpty', '$max', '$min', '$average', '$not', 'queueMicrotask', 'performance'];
  const isOlder = () => OLDER.has(current.facts.node.type);

  function withoutNewer() {
    for (const name of NOT_IN_CODE) delete globalThis[name];
    delete Math.sumPrecise;
    delete Uint8Array.fromBase64;
  }

  // n8n's runner keeps scripts from prototypes: these functions are there and do nothing.
  function withoutPrototypes() {
    delete globalThis.$webhookId;
    const inert = { getPrototypeOf: () => ({}), setPrototypeOf: () => false };
    kit.hide(Reflect, inert);
    kit.hide(Object, { ...inert, defineProperty: () => ({}), defineProperties: () => ({}) });
  }

  function prepare(data) {
    kit.expose(globalThis, () => data);
    kit.hide(globalThis, GLOBALS);
    if (isOlder()) {
      kit.hide(globalThis, { ...OF_OLDER, crypto: kit.crypto });
      if (data.head.each) data.all().forEach((item, index) => (item.index = index));
    }
    kit.hide(globalThis, {
      get Intl() {
        return kit.intl().Intl;
      },
      set Intl(value) {
        defineProperty(globalThis, 'Intl', { value, writable: true, configurable: true });
      },
    });
    const all = isOlder() ? () => data.all().map(copied) : () => data.all();
    const given = data.head.each ? ['item', () => data.item(data.index)] : ['items', once(all)];
    variable(...given);
  }

  // Programs of Function change copies, so that other variables show what was there before.
  const copied = (item, index) => ({ ...JSON.parse(jsonText(item)), index });

  // A variable of the script's: `items` is one list, which the script may change and replace; `item` is the current one.
  const once = (make, made = null) => () => (made ??= make());
  function variable(name, find) {
    defineProperty(globalThis, name, {
      get: find,
      set(value) {
        defineProperty(globalThis, name, { value, writable: true, configurable: true });
      },
      configurable: true,
    });
  }

  // Without memory the engine throws null, as a script may.
  const spent = (error) => outOfMemory(error) && !(error === null && /\b(?:throw|reject)\b/.test(current.head.source));

  function problem(kind, error) {
    const found = spent(error) ? 'memory' : kind;
    const message = found === 'memory' ? 'The script needs more memory than it may have.' : messageOf(error);
    return jsonText({ error: { kind: found, message, line: lineOf(error), item: failedItem } });
  }

  let failedItem = null;

  function failure(error) {
    const line = lineOf(error);
    return { json: { error: messageOf(error) + (line === null ? '' : ` [line ${line}]`) } };
  }

  async function forEach(data, script, self) {
    const values = [];
    const goesOn = (data.facts.node.onError ?? 'stopWorkflow') !== 'stopWorkflow';
    for (let i = 0; i < data.head.count; i++) {
      data.index = i;
      try {
        values.push(await script.call(self));
      } catch (error) {
        if (!goesOn || spent(error)) {
          failedItem = i;
          throw error;
        }
        values.push(failure(error));
      }
    }
    return values;
  }

  let answer = null;
  const bigText = Function.prototype.call.bind(BigInt.prototype.toString);

  // A list is written piece by piece: so many elements at a time as have some `PIECE` characters.
  const { isArray } = Array;
  const { max, min, floor } = Math;
  const [SHORT, FIRST, PIECE] = [64, 16, 65536];
  function given(value) {
    if (!isArray(value) || value.length <= SHORT || typeof value.toJSON === 'function') return `"value":${jsonText(value)}`;
    const { length } = value;
    for (let start = 0, count = FIRST; start < length; ) {
      const part = [];
      let taken = 0; // what the script has changed may shorten the part
      while (taken < count && start < length) part[taken++] = value[start++];
      const text = jsonText(part);
      kit.host.giveRows(text, taken);
      count = max(1, min(2 * taken, floor((taken * PIECE) / text.length)));
    }
    return `"rows":${length}`;
  }

  function finish(value) {
    kit.hide(BigInt.prototype, { toJSON() { return bigText(this); } });
    const context = current.facts.node.context ?? {};
    const memory = `"context":${jsonText(context)},"static":${jsonText(current.head.static ?? {})}`;
    const custom = jsonText(current.facts.execution.customData ?? {});
    answer = `{${given(value)},"logs":${jsonText(logs)},${memory},"custom":${custom}}`;
  }

  // Begin the run; `kit.step` brings it to its end.
  kit.start = () => {
    current = new Data(new PulledLines());
    void current.facts; // read before the script, which may change JSON.parse
    if (!isOlder()) kit.outside(current);
    kit.useZone();
    prepare(current);
    const { source, each } = current.head;
    kit.errors.about(source);
    let script;
    try {
      script = compile(wrapped(source));
    } catch (error) {
      answer = problem('syntax', error);
      return;
    }
    delete BigInt.prototype.toJSON; // the answer has it, the script does not
    const self = isOlder() ? node : globalThis;
    withoutNewer();
    if (self === globalThis) withoutPrototypes();
    const result = each ? forEach(current, script, self) : script.call(self).then((value) => (value === null ? [] : value));
    result.then(finish).catch((error) => (answer = problem('runtime', error)));
  };

  // The answer once there is one, else the milliseconds until this must be called again, or null: nothing will happen.
  kit.step = () => {
    if (answer !== null) return kit.whole(answer);
    const next = nextTimer();
    if (!next) return null;
    const wait = next[1].due - Date.now();
    if (wait > 0) return wait;
    try {
      fire(next);
    } catch (error) {
      return kit.whole(problem('runtime', error));
    }
    return 0;
  };
});
