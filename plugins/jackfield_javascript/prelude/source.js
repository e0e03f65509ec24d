// Reads the source of an expression: enough of JavaScript's lexical grammar to find method calls by name.
(function (kit) {
  'use strict';

  const SPACE = /\s/;
  const START = /[\p{ID_Start}$_]/u;
  const WORD = /[\p{ID_Continue}$\u200c\u200d]+/uy;
  const NUMBER = /[\da-zA-Z_]+(?:\.\d[\da-zA-Z_]*)?/y;
  const BEFORE_VALUE = new Set(
    'return typeof instanceof in of new void delete do else case throw'.split(' '),
  );

  function endOfText(source, start, quote) {
    for (let i = start; i < source.length; i++) {
      if (source[i] === '\\') i++;
      else if (source[i] === quote) return i + 1;
    }
    return source.length;
  }

  function endOfPattern(source, start) {
    let inClass = false;
    for (let i = start; i < source.length; i++) {
      const letter = source[i];
      if (letter === '\\') i++;
      else if (letter === '[') inClass = true;
      else if (letter === ']') inClass = false;
      else if (letter === '/' && !inClass) return i + 1;
    }
    return source.length;
  }

  // Where the text of a template ends: after its back quote, or after the `${` of a substitution.
  function endOfTemplate(source, start) {
    for (let i = start; i < source.length; i++) {
      if (source[i] === '\\') i++;
      else if (source[i] === '`') return [i + 1, false];
      else if (source[i] === '$' && source[i + 1] === '{') return [i + 2, true];
    }
    return [source.length, false];
  }

  function endOfMatch(pattern, source, start) {
    pattern.lastIndex = start;
    return pattern.exec(source) ? pattern.lastIndex : start + 1;
  }

  function endOfComment(source, start) {
    const end = source[start + 1] === '*' ? source.indexOf('*/', start + 2) : source.indexOf('\n', start);
    return end < 0 ? source.length : end + (source[start + 1] === '*' ? 2 : 0);
  }

  // Every `.name(` as [start of the dot, end of the name, name].
  function calls(source) {
    const found = [];
    const braces = []; // per open brace: whether it is a template's substitution
    let afterValue = false;
    let dot = -1;
    for (let i = 0; i < source.length; ) {
      const letter = source[i];
      const start = i;
      const member = dot;
      if (SPACE.test(letter)) {
        i++;
        continue;
      }
      if (letter === '/' && (source[i + 1] === '/' || source[i + 1] === '*')) {
        i = endOfComment(source, i);
        continue;
      }
      dot = -1;
      if (START.test(letter)) {
        i = endOfMatch(WORD, source, i);
        const name = source.slice(start, i);
        afterValue = member >= 0 || !BEFORE_VALUE.has(name);
        if (member >= 0 && /^\s*\(/.test(source.slice(i, i + 20))) found.push([member, i, name]);
      } else if (letter >= '0' && letter <= '9') {
        i = endOfMatch(NUMBER, source, i);
        afterValue = true;
      } else if (letter === '"' || letter === "'") {
        i = endOfText(source, i + 1, letter);
        afterValue = true;
      } else if (letter === '`' || (letter === '}' && braces.pop())) {
        const [end, opens] = endOfTemplate(source, i + 1);
        if (opens) braces.push(true);
        i = end;
        afterValue = !opens;
      } else if (letter === '/' && !afterValue) {
        i = endOfPattern(source, i + 1);
        afterValue = true;
      } else {
        if (letter === '{') braces.push(false);
        i += source.startsWith('...', i) ? 3 : 1;
        if (letter === '.' && i === start + 1) dot = start;
        afterValue = letter === ')' || letter === ']' || letter === '}';
      }
    }
    return found;
  }

  // `a.name(` becomes `a[prefix.name](` for each of these names.
  kit.redirect = (source, names, prefix) => {
    let text = '';
    let done = 0;
    for (const [start, end, name] of calls(source)) {
      if (!(name in names)) continue;
      const optional = source[start - 1] === '?';
      text += source.slice(done, start) + (optional ? '.' : '') + `[${prefix}.${name}]`;
      done = end;
    }
    return text + source.slice(done);
  };
});
