// The program's source around an error: what was called there, and with which argument, as V8 prints it.
(function (kit) {
  'use strict';

  let source = '';
  let starts = [0];

  function offsetOf(line, column) {
    return starts[line - 1] + column - 1;
  }

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

  // -- errors of syntax

  // The engine names what it wants, V8 what it found.
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

  function wordAt(frames) {
    if (!frames[0]) return '';
    const start = offsetOf(frames[0].line, frames[0].column);
    return /^[\p{ID_Continue}$]+/u.exec(source.slice(start))?.[0] ?? wordBefore(back(start - 1));
  }

  const imports = () => /^import\s/m.test(source);

  function about(text) {
    source = text;
    starts = [0];
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
  }

  kit.calls = { about, argumentAt, calleeAt, callPlace, foundAt, imports, invalidPattern, notAFunction, notIterable, wordAt };
});
