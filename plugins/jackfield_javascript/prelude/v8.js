// Errors as Node.js words them: the texts, the line that they name, and `stack`. Programs show and compare them.
(function (kit) {
  'use strict';

  const FIRST_LINE = 10_000; // lines from here on are the script's; every file of the prelude is shorter
  const OPENING = '(async function VmCodeWrapper() {'; // stands before the script on its first line
  const { defineProperty } = Object;
  const { hide } = kit;
  const places = new WeakMap(); // error -> { host, frames: [{ name, line, column }] }
  let source = '';
  let starts = [0];

  function offsetOf(line, column) {
    return starts[line - 1] + column - 1;
  }

  // -- what was called, from the source before the name at `end`

  const NAME = /[\p{ID_Continue}$\u200c\u200d]/u;
  const OPENS = { __proto__: null, ')': '(', ']': '[', '}': '{' };
  const VALUE = '(intermediate value)';

  const back = (at) => {
    while (at >= 0 && /\s/.test(source[at])) at--;
    return at;
  };
  function wordBefore(at) {
    let start = at;
    while (start >= 0 && NAME.test(source[start])) start--;
    return source.slice(start + 1, at + 1);
  }
  function openerOf(at) {
    let depth = 0;
    for (let i = at; i >= 0; i--) {
      if (source[i] in OPENS) depth++;
      else if ('([{'.includes(source[i]) && --depth === 0) return i;
    }
    return -1;
  }
  const callable = (at) => at >= 0 && (NAME.test(source[at]) || source[at] === ')' || source[at] === ']');

  function grouped(inner) {
    if (/^(?:new|await|class|function|async|yield)\b|=>/.test(inner)) return VALUE;
    if (/^void\b/.test(inner)) return `(${inner})`;
    return /^[\w$.{}[\]'"]+$/.test(inner) ? inner : VALUE;
  }

  function indexed(inner) {
    const text = /^(['"])([A-Za-z_$][\w$]*)\1$/.exec(inner);
    if (text) return `.${text[2]}`;
    return /^[\w$.]+$/.test(inner) ? `[${inner}]` : '[...]';
  }

  // The expression that ends at `at`, as V8 prints it.
  function expression(at) {
    at = back(at);
    const sign = source[at];
    if (sign === ')' || sign === ']') {
      const open = openerOf(at);
      const inner = source.slice(open + 1, at).trim();
      const before = back(open - 1);
      const word = callable(before) ? wordBefore(before) : '';
      const applied = callable(before) && !/^(?:return|await|typeof|of|in|if|while|for|case|else|void|throw)$/.test(word);
      if (sign === ')') return applied ? made(expression(before), '(...)', before) : grouped(inner);
      return applied ? expression(before) + indexed(inner) : `[${inner.split(/\s*,\s*/).join()}]`;
    }
    if (sign === "'" || sign === '"') {
      const open = source.lastIndexOf(sign, at - 1);
      return JSON.stringify(source.slice(open + 1, at));
    }
    const word = wordBefore(at);
    if (word === '') return sign === '}' && source[back(at - 1)] === '{' ? '{}' : VALUE;
    return member(word, at - word.length);
  }

  // The call of `new X` is a value of its own.
  function made(callee, call, at) {
    let start = at;
    while (start >= 0 && (NAME.test(source[start]) || source[start] === '.')) start--;
    return wordBefore(back(start)) === 'new' ? VALUE : callee + call;
  }

  function member(name, before) {
    const at = back(before);
    if (source[at] !== '.' || source[at - 1] === '.') return name;
    const optional = source[at - 1] === '?';
    return `${expression(at - (optional ? 2 : 1))}${optional ? '?.' : '.'}${name}`;
  }

  function calleeAt(place) {
    const start = offsetOf(place.line, place.column);
    let end = start;
    while (end < source.length && NAME.test(source[end])) end++;
    if (end === start) return expression(source[start] === '(' ? back(start - 1) : start);
    const name = source.slice(start, end);
    const before = back(start - 1);
    if (source[before] === '[') return expression(before - 1) + indexed(name);
    const rest = /^(?:\[[\w$.'"]+\])+(?=\s*\()/.exec(source.slice(end))?.[0] ?? '';
    return member(name, start - 1) + rest.replace(/\[([^\]]*)\]/g, (_, inner) => indexed(inner));
  }

  // A call is placed at its last argument that is a function: go back to what is called.
  function callPlace(place) {
    if (place.native || !starts[place.line - 1] && place.line !== 1) return place;
    const start = offsetOf(place.line, place.column);
    if (!/^(?:async\b\s*)?(?:function\b|[\w$]+\s*=>|\([^()]*\)\s*=>)/.test(source.slice(start, start + 200))) return place;
    let depth = 0;
    for (let i = start - 1; i >= 0; i--) {
      if (source[i] in OPENS) depth++;
      else if ('([{'.includes(source[i]) && --depth < 0) {
        const end = back(i - 1);
        if (source[i] !== '(' || !NAME.test(source[end] ?? '')) return place;
        const offset = end + 1 - wordBefore(end).length;
        const line = starts.findLastIndex((at) => at <= offset) + 1;
        return { ...place, line, column: offset - starts[line - 1] + 1 };
      }
    }
    return place;
  }

  const isNew = (place) => /\bnew\s+$/.test(source.slice(0, offsetOf(place.line, place.column)));

  // The text of the first argument of the call at this place.
  function argumentAt(place) {
    const text = source.slice(offsetOf(place.line, place.column));
    return /^[\p{ID_Continue}$]*\s*\(\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,()]*)/u.exec(text)?.[1].trim() ?? '';
  }

  function described(text) {
    if (text === '' || text === 'undefined') return 'undefined';
    if (text === 'null') return 'object null';
    if (/^-?[\d.]+$/.test(text)) return `number ${text}`;
    if (/^(?:true|false)$/.test(text)) return `boolean ${text}`;
    const quoted = /^(['"])([^'"]*)\1$/.exec(text);
    return quoted ? `string "${quoted[2]}"` : '#<Object>';
  }

  function notAFunction([first, second]) {
    if (!first) return null;
    if (!first.native) return isNew(first) ? `${calleeAt(first)} is not a constructor` : `${calleeAt(first)} is not a function`;
    if (!second || second.native) return null;
    const given = argumentAt(second);
    if (first.name === 'sort' || first.name === 'toSorted') return `The comparison function must be either a function or undefined: ${given}`;
    return `${described(given)} is not a function`;
  }

  function notIterable([first, second], nothing) {
    const of = (value) => `${value} is not iterable (cannot read property Symbol(Symbol.iterator))`;
    if (!first?.native) return nothing ? `${nothing} is not iterable` : null;
    if (nothing) return of(nothing === 'null' ? 'object null' : 'undefined');
    return second && !second.native ? of(described(argumentAt(second))) : null;
  }

  function invalidPattern([first, second], reason) {
    if (first?.name !== 'RegExp' || !second || second.native) return null;
    return `Invalid regular expression: /${argumentAt(second).replace(/^['"`]|['"`]$/g, '')}/: ${reason}`;
  }

  const BY_FUNCTION = {
    __proto__: null,
    toFixed: 'toFixed() digits argument must be between 0 and 100',
    toPrecision: 'toPrecision() argument must be between 1 and 100',
    toExponential: 'toExponential() argument must be between 0 and 100',
  };
  const called = (frames) => frames[0]?.name ?? '';
  const argument = (frames) => (frames[1] && !frames[1].native ? argumentAt(frames[1]) : '');
  // Text of the engine -> text of V8, or null to keep it.
  const TEXTS = [
    [/^cannot read property 'Symbol\.iterator' of (null|undefined)$/, (frames, what) => notIterable(frames, what)],
    [/^cannot read property '(.*)' of (null|undefined)$/s, (_, name, what) => `Cannot read properties of ${what} (reading '${name}')`],
    [/^cannot set property '(.*)' of (null|undefined)$/s, (_, name, what) => `Cannot set properties of ${what} (setting '${name}')`],
    [/^not a function$/, (frames) => notAFunction(frames)],
    [/^not a constructor$/, (frames) => frames[0] && !frames[0].native ? `${calleeAt(frames[0])} is not a constructor` : null],
    [/^value is not iterable$/, (frames) => notIterable(frames, null)],
    [/^'(.*)' is read-only$/, () => 'Assignment to constant variable.'],
    [/^(.+) is not initialized$/, (_, name) => `Cannot access '${name}' before initialization`],
    [/^empty array$/, () => 'Reduce of empty array with no initial value'],
    [/^invalid repeat count$/, (frames) => `Invalid count value: ${argument(frames)}`],
    [/^Date value is NaN$/, () => 'Invalid time value'],
    [/^invalid array length$/, () => 'Invalid array length'],
    [/^invalid number of digits$/, (frames) => BY_FUNCTION[called(frames)] ?? null],
    [/^cannot convert BigInt to number$/, () => 'Cannot mix BigInt and other types, use explicit conversions'],
    [/^expecting hex digit$|^malformed UTF-8$/, () => 'URI malformed'],
    [/^invalid 'instanceof' right operand$/, () => "Right-hand side of 'instanceof' is not callable"],
    [/^class constructors must be invoked with 'new'$/, (frames) => `Class constructor ${called(frames)} cannot be invoked without 'new'`],
    [/^must be called with new$/, (frames) => `${called(frames)} constructor cannot be invoked without 'new'`],
    [/^cannot convert symbol to string$/, () => 'Cannot convert a Symbol value to a string'],
    [/^cannot convert symbol to number$/, () => 'Cannot convert a Symbol value to a number'],
    [/^cannot convert to BigInt: not an integer$/, (frames) => `The number ${argument(frames)} cannot be converted to a BigInt because it is not an integer`],
    [/^invalid BigInt literal$/, (frames) => `Cannot convert ${argument(frames).replace(/^['"]|['"]$/g, '')} to a BigInt`],
    [/^circular reference$/, () => 'Converting circular structure to JSON'],
    [/^BigInt are forbidden in JSON\.stringify$/, () => 'Do not know how to serialize a BigInt'],
    [/^null or undefined are forbidden$/, (frames) => `String.prototype.${called(frames)} called on null or undefined`],
    [/^bad normalization form$/, () => 'The normalization form should be one of NFC, NFD, NFKC, NFKD.'],
    [/^regexp must have the 'g' flag$/, (frames) => `String.prototype.${called(frames)} called with a non-global RegExp argument`],
    [/^regexp not supported$/, (frames) => `First argument to String.prototype.${called(frames)} must not be a regular expression`],
    [/^invalid code point$/, (frames) => `Invalid code point ${argument(frames)}`],
    [/^invalid value used as WeakMap key$/, () => 'Invalid value used as weak map key'],
    [/^invalid array index$/, (frames) => `Invalid typed array length: ${argument(frames)}`],
    [/^expecting '\)'$/, (frames) => invalidPattern(frames, 'Unterminated group')],
    [/^unexpected end$/, (frames) => invalidPattern(frames, 'Unterminated character class')],
    [/^nothing to repeat$/, (frames) => invalidPattern(frames, 'Nothing to repeat')],
    [/^extraneous characters at the end$/, (frames) => invalidPattern(frames, "Unmatched ')'")],
    [/^invalid class range$/, (frames) => invalidPattern(frames, 'Range out of order in character class')],
    [/^invalid group$/, (frames) => invalidPattern(frames, 'Invalid group')],
  ];

  // -- errors of syntax: the engine names what it wants, V8 what it found

  function foundAt(frames) {
    const text = source.slice(frames[0] ? offsetOf(frames[0].line, frames[0].column) : source.length).trimStart();
    if (/^return\s*\{$/.test(text)) return 'Unexpected end of input';
    if (/^(?:const|let|var|function|class)?\s*$/.test(text)) return "Unexpected token '}'";
    const [token] = /^(?:[\p{ID_Start}$_][\p{ID_Continue}$]*|\d+|=>|[=!]==?|&&|\|\||\.\.\.|.)/u.exec(text) ?? [''];
    if (/^\d/.test(token)) return 'Unexpected number';
    if (/^['"]/.test(token)) return 'Unexpected string';
    if (token === '`') return 'Unexpected template string';
    if (/^[#@\\]/.test(token)) return 'Invalid or unexpected token';
    const reserved = /^(?:break|case|catch|class|const|continue|default|delete|do|else|export|extends|finally|for|function|if|import|in|instanceof|new|return|super|switch|this|throw|try|typeof|var|void|while|with|null|true|false)$/;
    return /^[\p{ID_Start}$_]/u.test(token) && !reserved.test(token) ? `Unexpected identifier '${token}'` : `Unexpected token '${token}'`;
  }
  const SYNTAX = [
    [/^unexpected token in expression: '([\\@#]).*'$/s, () => 'Invalid or unexpected token'],
    [/^unexpected token in expression: '(.+)'$/s, (_, token) => `Unexpected token '${token}'`],
    [/^unsupported keyword: (.+)$/, (_, word) => `Unexpected token '${word}'`],
    [/^(?:variable name expected|function name expected|class statement requires a name|expecting '.+')$/, foundAt],
    [/^invalid redefinition of lexical identifier$/, (frames) => `Identifier '${wordAt(frames)}' has already been declared`],
    [/^unexpected end of string$|^invalid number literal$/, () => 'Invalid or unexpected token'],
    [/^'let' is not a valid lexical identifier$/, () => 'let is disallowed as a lexically bound name'],
    [/^invalid assignment left-hand side$/, () => 'Invalid left-hand side in assignment'],
    [/^unexpected line terminator in regexp$/, () => 'Invalid regular expression: missing /'],
    [/^missing initializer for variable$/, () => 'Missing initializer in const declaration'],
    [/^break must be inside loop or switch$/, () => 'Illegal break statement'],
    [/^continue must be inside loop$/, () => 'Illegal continue statement: no surrounding iteration statement'],
    [/^'super' is only valid in a method$/, () => "'super' keyword unexpected here"],
  ];
  function wordAt(frames) {
    if (!frames[0]) return '';
    const start = offsetOf(frames[0].line, frames[0].column);
    return /^[\p{ID_Continue}$]+/u.exec(source.slice(start))?.[0] ?? wordBefore(back(start - 1));
  }

  function translated(message, frames, syntax) {
    if (syntax && /^import\s/m.test(source)) return 'Cannot use import statement outside a module';
    for (const [pattern, text] of syntax ? SYNTAX : []) {
      const found = pattern.exec(message);
      if (found) return text(frames, ...found.slice(1));
    }
    for (const [pattern, text] of TEXTS) {
      const found = pattern.exec(message);
      if (found) return text(frames, ...found.slice(1));
    }
    return null;
  }

  // -- JSON.parse

  const SPECIAL = ['NaN', 'Infinity', 'undefined', '[object Object]'];
  const at = (what, text, place) => {
    const before = text.slice(0, place).split('\n');
    return `${what} in JSON at position ${place} (line ${before.length} column ${before.at(-1).length + 1})`;
  };

  function unexpected(text, place) {
    if (place >= text.length) return 'Unexpected end of JSON input';
    if (/[-\d]/.test(text[place])) return at('Unexpected number', text, place);
    if (text[place] === '"') return at('Unexpected string', text, place);
    if (SPECIAL.includes(text)) return `"${text}" is not valid JSON`;
    const start = text.length > 20 ? Math.max(place - 10, 0) : 0;
    const end = text.length > 20 ? Math.min(place + 10, text.length) : text.length;
    const around = `${start > 0 ? '...' : ''}"${text.slice(start, end)}"${end < text.length ? '...' : ''}`;
    return `Unexpected token '${text[place]}', ${around} is not valid JSON`;
  }

  class Problem {
    constructor(text) {
      this.text = text;
    }
  }

  // What V8 says of a text that is not JSON.
  function jsonProblem(text) {
    let i = 0;
    const fail = (message) => {
      throw new Problem(message);
    };
    const space = () => {
      while (i < text.length && ' \t\n\r'.includes(text[i])) i++;
    };
    const expected = (what) => fail(i >= text.length ? unexpected(text, i) : at(what, text, i));
    function string() {
      for (i++; ; i++) {
        if (i >= text.length) fail(at('Unterminated string', text, i));
        if (text[i] === '"') return void i++;
        if (text[i] < ' ') fail(at('Bad control character in string literal', text, i));
        if (text[i] !== '\\') continue;
        i++;
        if (i >= text.length) fail(at('Unterminated string', text, i));
        if (!'"\\/bfnrtu'.includes(text[i])) fail(at('Bad escaped character', text, i));
        if (text[i] !== 'u') continue;
        for (let left = 4; left > 0; left--) if (!/[\da-f]/i.test(text[++i] ?? '')) fail(at('Bad Unicode escape', text, i));
      }
    }
    function digits(message) {
      if (!/\d/.test(text[i] ?? '')) fail(i >= text.length && message === null ? unexpected(text, i) : at(message, text, i));
      while (/\d/.test(text[i] ?? '')) i++;
    }
    function number() {
      if (text[i] === '-' && !/\d/.test(text[++i] ?? '')) fail(at('No number after minus sign', text, i));
      if (text[i] === '0') {
        if (/\d/.test(text[++i] ?? '')) fail(at('Unexpected number', text, i));
      } else digits('');
      if (text[i] === '.' && ++i) digits('Unterminated fractional number');
      if (/[eE]/.test(text[i] ?? '')) {
        if (/[-+]/.test(text[++i] ?? '')) i++;
        digits('Exponent part is missing a number');
      }
    }
    function members(end, after, read) {
      i++;
      space();
      if (text[i] === end) return void i++;
      for (let first = true; ; first = false) {
        read(first);
        space();
        if (text[i] === end) return void i++;
        if (text[i] !== ',') expected(after);
        i++;
        space();
      }
    }
    function value() {
      space();
      const letter = text[i];
      if (letter === '"') return string();
      if (/[-\d]/.test(letter ?? '')) return number();
      if (letter === '[') return members(']', "Expected ',' or ']' after array element", value);
      if (letter === '{') {
        return members('}', "Expected ',' or '}' after property value", (first) => {
          if (text[i] !== '"') expected(first ? "Expected property name or '}'" : 'Expected double-quoted property name');
          string();
          space();
          if (text[i] !== ':') expected("Expected ':' after property name");
          i++;
          value();
        });
      }
      const word = ['true', 'false', 'null'].find((each) => each[0] === letter);
      if (!word) fail(unexpected(text, i));
      for (const each of word) if (text[i++] !== each) fail(unexpected(text, i - 1));
    }
    try {
      value();
      space();
      return i < text.length ? at('Unexpected non-whitespace character after JSON', text, i).replace(' in JSON', '') : null;
    } catch (problem) {
      return problem instanceof Problem ? problem.text : null;
    }
  }

  const { parse } = JSON;
  kit.hide(JSON, {
    parse(text, reviver) {
      const given = `${text}`;
      try {
        return parse(given, reviver);
      } catch (error) {
        const message = error instanceof SyntaxError ? jsonProblem(given) : null;
        if (message !== null) throw new SyntaxError(message);
        throw error;
      }
    },
  });

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
    lineOf, messageOf,
    wrapped: (text) => `${'\n'.repeat(FIRST_LINE)}${OPENING}${text}\n})`,
    about(text) {
      source = text;
      starts = [0];
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
    },
  };
});
