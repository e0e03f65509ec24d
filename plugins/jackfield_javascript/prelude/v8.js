// Errors as Node.js words them: the texts, the line that they name, and `stack`. Programs show and compare them.
(function (kit) {
  'use strict';

  const FIRST_LINE = 10_000; // lines from here on are the script's; every file of the prelude is shorter
  const OPENING = '(async function VmCodeWrapper() {'; // stands before the script on its first line
  const { defineProperty } = Object;
  const { hide, translated } = kit;
  const { about, callPlace } = kit.calls;
  const places = new WeakMap(); // error -> { host, frames: [{ name, line, column }] }

  // -- the hook that the engine calls for each new error

  const plain = (frame) => {
    const name = frame.getFunctionName();
    const native = frame.getLineNumber() === null;
    const line = frame.getLineNumber() - FIRST_LINE;
    const column = frame.getColumnNumber() - (line === 1 ? OPENING.length : 0);
    return { name: name === '<anonymous>' || name === null ? '' : name, line, column, native };
  };
  const shown = ({ name, line, column, native }) => {
    if (native) return `    at ${name || '<anonymous>'} (<anonymous>)`;
    const where = `evalmachine.<anonymous>:${line}:${column}`;
    return name ? `    at ${name} (${where})` : `    at ${where}`;
  };

  // n8n's own functions live outside of the script's context, and their errors name no line.
  const OWN = /^(?:parse|require|structuredClone|localeCompare|toLocale\w*String|format\w*|resolvedOptions|\w+Format|Locale|PluralRules)$/;
  function isHost(frames) {
    const place = frames.findIndex(({ native, line }) => !native && line > 0);
    const inner = place < 0 ? [] : frames.slice(0, place).filter(({ native }) => !native);
    return inner.length > 0 && !OWN.test(inner.at(-1).name);
  }

  Error.prepareStackTrace = (error, found) => {
    let frames = [];
    try {
      const all = found.map(plain);
      const host = isHost(all);
      frames = all.filter(({ native, line }) => native || line > 0).map(callPlace);
      const own = error.constructor?.name;
      if (error instanceof Error && own !== '') while (frames.length > 1 && !frames[0].native && frames[0].name === own) frames.shift();
      if (error instanceof AggregateError && error.message === '') {
        hide(error, { message: 'All promises were rejected' });
        frames = [];
      }
      const text = translated(error.message, frames, error instanceof SyntaxError && frames[0]?.native === false && frames[0].name === '');
      if (text !== null) hide(error, { message: text });
      // An error that is thrown again keeps its first place.
      if (!places.has(error)) places.set(error, { host, frames: frames.filter(({ native }) => !native) });
    } catch {
      // an error that the script made strange keeps its text
    }
    return [`${error}`, ...frames.map(shown)].join('\n');
  };
  defineProperty(Error, 'prepareStackTrace', { value: undefined, writable: false, configurable: false });

  // The line that n8n names: the first inside a function with a name, else that of the program itself.
  function lineOf(error) {
    const found = error instanceof Error ? places.get(error) : undefined;
    if (!found || (found.host && !kit.Fault.is(error))) return null;
    const named = found.frames.find(({ name }) => name !== '' && name !== 'VmCodeWrapper');
    return (named ?? found.frames.find(({ name }) => name === 'VmCodeWrapper'))?.line ?? null;
  }

  // Only the first line of a message shows, and an empty one is `Unknown error`.
  function messageOf(error) {
    if (typeof error?.message === 'string') return error.message.split('\n').find((line) => line !== '') ?? 'Unknown error';
    return JSON.stringify(error) ?? 'Unknown error';
  }

  kit.errors = {
    about, lineOf, messageOf,
    wrapped: (text) => `${'\n'.repeat(FIRST_LINE)}${OPENING}${text}\n})`,
  };
});
