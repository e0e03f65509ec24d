// Runs the source of a Code node. The context serves this one run, so the script may change whatever it reaches.
(function (kit) {
  'use strict';

  const { Data, Fault, jsonText, outOfMemory } = kit;
  const { logLines, logLength } = kit.limits;
  const compile = eval;
  const FIRST_LINE = 10_000; // lines from here on are the script's; every file of the prelude is shorter

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

  const staticData = { global: {}, node: {} };
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
    $getWorkflowStaticData: (kind) => staticData[kind],
  };

  function prepare(data) {
    kit.expose(globalThis, () => data);
    kit.hide(globalThis, GLOBALS);
    kit.hide(globalThis, {
      get items() {
        return data.all();
      },
      set items(value) {
        Object.defineProperty(globalThis, 'items', { value, writable: true, configurable: true });
      },
      get item() {
        return data.item(data.index);
      },
      set item(value) {
        Object.defineProperty(globalThis, 'item', { value, writable: true, configurable: true });
      },
    });
  }

  function lineOf(error) {
    if (typeof error?.stack !== 'string') return null;
    for (const [, line] of error.stack.matchAll(/<input>:(\d+):\d+/g)) {
      if (Number(line) > FIRST_LINE) return Number(line) - FIRST_LINE;
    }
    return null;
  }

  function messageOf(error) {
    if (!(error instanceof Error)) return String(error?.message ?? shown(error));
    return error.name === 'Error' ? error.message : `${error.name}: ${error.message}`;
  }

  function problem(kind, error) {
    const found = outOfMemory(error) ? 'memory' : kind;
    const message = found === 'memory' ? 'The script needs more memory than it may have.' : messageOf(error);
    return jsonText({ error: { kind: found, message, line: lineOf(error) } });
  }

  async function forEach(data, script) {
    const values = [];
    for (let i = 0; i < data.head.count; i++) {
      data.index = i;
      values.push(await script.call({}));
    }
    return values;
  }

  let answer = null;

  function finish(value) {
    const context = current.head.node.context ?? {};
    answer = `{"value":${jsonText(value)},"logs":${jsonText(logs)},"context":${jsonText(context)}}`;
  }

  // Begin the run; `kit.step` brings it to its end.
  kit.start = (text) => {
    current = new Data(text);
    prepare(current);
    const { source, each } = current.head;
    let script;
    try {
      script = compile('\n'.repeat(FIRST_LINE - 1) + `(async function () {\n${source}\n})`);
    } catch (error) {
      answer = problem('syntax', error);
      return;
    }
    const result = each ? forEach(current, script) : script.call({});
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
