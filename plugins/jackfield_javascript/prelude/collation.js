// Which of two texts comes first, close to CLDR: letters, then accents, then case. Compiled when a script first compares.
(function (kit) {
  'use strict';

  const MARKS =
    '\t\n\v\f\r\u0085\u2028\u2029 \u00a0_‿-‐–—,;:!¡?¿.…·\'‘’‚‹›"“”„«»()[]{}§¶@*/\\&#%‰†‡•`´˜^¯¨¸°©®+±÷×<=>|¦~¬¤¢$£¥€0123456789';
  const PLACES = new Map(Array.from(MARKS, (mark, place) => [mark, place]));
  // Letters behind another one in a language, each a letter of its own; what stands together differs by its accent alone.
  const TAILORED = {
    __proto__: null, sv: 'z å äæ öø', fi: 'z å äæ öø', da: 'z æä øö å', nb: 'z æä øö å', nn: 'z æä øö å', no: 'z æä øö å', es: 'n ñ', et: 's š z ž, w õ ä ö ü',
    cs: 'c č, r ř, s š, z ž', sk: 'a ä, c č, o ô, s š, z ž', pl: 'a ą, c ć, e ę, l ł, n ń, o ó, s ś, z ź ż', tr: 'c ç, g ğ, h ı, o ö, s ş, u ü',
    hr: 'c č ć, d đ, s š, z ž', sl: 'c č, s š, z ž', hu: 'o öő, u üű', ro: 'a ă â, i î, s ș, t ț', lt: 'c č, s š, z ž', lv: 'c č, g ģ, k ķ, l ļ, n ņ, s š, z ž',
  };
  const CAPITALS_FIRST = new Set(['da']);
  const ACCENTS = '\u0301\u0300\u0306\u0302\u030c\u030a\u0308\u030b\u0303\u0307\u0335\u0327\u0328\u0304';
  const WIDE = { __proto__: null, æ: 'ae', œ: 'oe', ß: 'ss', þ: 'th', ﬁ: 'fi' };
  const STRUCK = { __proto__: null, ø: 'o', đ: 'd', ł: 'l', ħ: 'h', ı: 'i', ð: 'd' };

  const accentOf = (mark) => String.fromCharCode(ACCENTS.includes(mark) ? ACCENTS.indexOf(mark) + 1 : mark.charCodeAt(0));

  function lettersOf(language) {
    const own = new Map();
    for (const group of (TAILORED[language] ?? '').split(', ')) {
      const [first, ...rest] = group.split(' ');
      rest.forEach((letters, place) =>
        Array.from(letters, (letter, at) => own.set(letter, [first.codePointAt(0) + (place + 1) / 16, '\u0335'.repeat(at)])),
      );
    }
    return own;
  }

  // [place among letters, accents] of each letter in small form.
  function weights(small, own) {
    const found = own.get(small);
    if (found) return [found];
    const parts = Array.from((WIDE[small] ?? small).normalize('NFD'));
    const made = [];
    for (const part of parts) {
      if (/\p{M}/u.test(part)) {
        if (made.length) made.at(-1)[1] += accentOf(part);
        continue;
      }
      const base = STRUCK[part] ?? part;
      const place = PLACES.get(base) ?? 1000;
      made.push([place < 1000 ? place - 1000 : base.codePointAt(0), base === part ? '' : '\u0335']);
    }
    if (WIDE[small]) for (const each of made) each[1] += '\u0335';
    return made;
  }

  // Levels to compare: letters, accents, case.
  function levels(text, own, { numeric, ignorePunctuation }) {
    const made = [[], [], []];
    const pieces = text.normalize('NFC').match(numeric ? /\d+|\D/gu : /./gsu);
    for (const piece of pieces ?? []) {
      if (numeric && /^\d/.test(piece)) {
        made[0].push(-1 + Number(piece) / (Number(piece) + 1));
        made[1].push('');
        made[2].push(0);
        continue;
      }
      if (ignorePunctuation && /[\p{P}\s]/u.test(piece)) continue;
      const small = piece.toLowerCase();
      for (const [place, accents] of weights(small, own)) {
        made[0].push(place);
        made[1].push(accents);
        made[2].push(piece === small ? 0 : 1);
      }
    }
    return made;
  }

  function order(one, other) {
    for (let place = 0; place < Math.min(one.length, other.length); place++) {
      if (one[place] !== other[place]) return one[place] < other[place] ? -1 : 1;
    }
    return Math.sign(one.length - other.length);
  }

  // options: sensitivity, numeric, caseFirst, ignorePunctuation, language
  kit.collate = (one, other, options) => {
    const { sensitivity = 'variant', language } = options;
    const capitals = options.caseFirst === 'upper' || (options.caseFirst === 'false' && CAPITALS_FIRST.has(language));
    const own = lettersOf(language);
    const [left, right] = [levels(one, own, options), levels(other, own, options)];
    const letters = order(left[0], right[0]);
    if (letters || sensitivity === 'base') return letters;
    const accents = sensitivity === 'case' ? 0 : order(left[1], right[1]);
    if (accents || sensitivity === 'accent') return accents;
    return order(left[2], right[2]) * (capitals ? -1 : 1);
  };
});
