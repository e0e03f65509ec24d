// What V8 says of a text that is not JSON: programs show and compare it.
(function (kit) {
  'use strict';

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
});
