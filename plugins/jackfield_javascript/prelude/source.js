// Reads the source of an expression: enough of JavaScript's lexical grammar to split it into tokens.
(function (kit) {
  'use strict';

  const SPACE = /\s/;
  const LINE = /[\n\r\u2028\u2029]/;
  const DIGIT = /\d/;
  const MARKS = ['...', '=>', '?.', '??', '++', '--', '&&', '||'];
  const START = /[\p{ID_Start}$_]/u;
  const WORD = /[\p{ID_Continue}$\u200c\u200d]+/uy;
  const NUMBER = /(?:0[xob][\da-f_]+n?|(?:[\d_]+\.?[\d_]*|\.[\d_]+)(?:e[+-]?[\d_]+)?n?)/iy;
  const FLAGS = /[a-z]*/y;
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

  // Tokens as [kind, start, end, text, whether a line ends before it]. kind: word, value (a literal), template (a piece of
  // one, whose text is its last bracket) or mark. A slash divides behind a value.
  kit.tokens = (source) => {
    const found = [];
    const braces = []; // per open brace: whether it is a template's substitution
    let afterValue = false;
    let afterDot = false;
    let line = false;
    let end = 0;
    const add = (kind, start, text = source.slice(start, end)) => {
      found.push([kind, start, end, text, line]);
      line = false;
    };
    while (end < source.length) {
      const start = end;
      const letter = source[start];
      if (SPACE.test(letter)) {
        end++;
        line ||= LINE.test(letter);
      } else if (letter === '/' && (source[start + 1] === '/' || source[start + 1] === '*')) {
        end = endOfComment(source, start);
        line ||= LINE.test(source.slice(start, end));
      } else if (START.test(letter) || letter === '\\' || letter === '#') {
        end = endOfMatch(WORD, source, start);
        const text = source.slice(start, end);
        afterValue = afterDot || !BEFORE_VALUE.has(text);
        afterDot = false;
        add('word', start);
      } else if (DIGIT.test(letter) || (letter === '.' && DIGIT.test(source[start + 1] ?? ''))) {
        end = endOfMatch(NUMBER, source, start);
        [afterValue, afterDot] = [true, false];
        add('value', start);
      } else if (letter === '"' || letter === "'") {
        end = endOfText(source, start + 1, letter);
        [afterValue, afterDot] = [true, false];
        add('value', start);
      } else if (letter === '`' || (letter === '}' && braces.pop())) {
        const [after, opens] = endOfTemplate(source, start + 1);
        if (opens) braces.push(true);
        end = after;
        [afterValue, afterDot] = [!opens, false];
        add('template', start, (letter === '`' ? 'begin' : 'go on') + (opens ? ' open' : ''));
      } else if (letter === '/' && !afterValue) {
        end = endOfPattern(source, start + 1);
        FLAGS.lastIndex = end;
        end += FLAGS.exec(source)[0].length;
        [afterValue, afterDot] = [true, false];
        add('value', start);
      } else {
        const mark = MARKS.find((each) => source.startsWith(each, start)) ?? letter;
        end = start + (mark === '?.' && DIGIT.test(source[start + 2] ?? '') ? 1 : mark.length);
        if (letter === '{') braces.push(false);
        afterDot = mark === '.' || mark === '?.';
        afterValue = letter === ')' || letter === ']' || letter === '}' || (afterValue && (mark === '++' || mark === '--'));
        add('mark', start);
      }
    }
    return found;
  };
});
