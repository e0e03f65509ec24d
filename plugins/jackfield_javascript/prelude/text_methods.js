// What expressions may call on texts.
(function (kit) {
  'use strict';

  const { Fault } = kit;
  const methods = (kit.methods = { __proto__: null });
  const { exec } = RegExp.prototype;

  // Signs of money, which a text of a number may have. Letters of some stand in any text; the first that fits goes.
  const SIGNS =
    `Lek ؋ $ ƒ ₼ Br BZ$ $b KM P лв R$ ៛ ¥ ₡ kn ₱ Kč kr RD$ £ € ¢ Q L Ft ₹ Rp ﷼ ₪ J$ ₩ ₭ ден RM ₨ ₮ MT C$ ₦ B/. Gs S/. zł lei ₽
    Дин. S R CHF NT$ ฿ TT$ ₺ ₴ $U Bs ₫ Z$`.split(/\s+/);
  const MONEY = new RegExp(SIGNS.map((sign) => sign.replace(/[$./]/g, '\\$&')).join('|'), 'gu');
  const plain = (text) => text.replace(MONEY, '');

  function number(found, kind) {
    if (Number.isNaN(found)) throw new Fault(`The text can't be converted to ${kind}.`);
    return found;
  }

  function toFloat(text) {
    if (text.includes(',')) throw new Fault('The text can\'t be converted to a number: write its decimal point as a full stop.');
    return number(parseFloat(plain(text)), 'a number');
  }
  const toInt = (text, radix) => number(parseInt(plain(text), radix), 'a whole number');

  function parseJson(text) {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new Fault(`Parsing failed: the text is not valid JSON (${error.message}).`);
    }
  }

  // -- domains, addresses, mail

  const NAME = String.raw`(?:[-\w]+\.)+(?:[a-zA-Z]{2,}|xn--[a-zA-Z0-9]+)|localhost|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}`;
  const REST = String.raw`(?::\d+)?(?:\/[^\s?]*)?(?:\?[^\s#]*)?(?:#[^\s]*)?`;
  const WEB = String.raw`(?:https?|ftp):\/\/(?:www\.)?(?:${NAME})(?::\d+)?(?:\/[^\s?#]*)?(?:\?[^\s#]*)?(?=([^\s]+#.*)?)#?[^\s]*`;
  const DOMAIN = new RegExp(String.raw`^(?:www\.)?(?:${NAME})${REST}$`, 'i');
  const HOST = new RegExp(String.raw`^(?:(?:https?|ftp):\/\/)?(?:mailto:)?(?:\/\/)?((?:www\.)?(?:${NAME}))${REST}$`, 'i');
  const ADDRESS = new RegExp(WEB, 'i');
  const WHOLE_ADDRESS = new RegExp(`^${WEB}$`, 'i');
  const ATOM = String.raw`[^<>()\[\]\\.,;:\s@"]+`;
  const MAIL = new RegExp(
    String.raw`(?:${ATOM}(?:\.${ATOM})*|".+")@(\[[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\]|(?:[a-zA-Z\-0-9]+\.)+[a-zA-Z]{2,})`,
  );
  const match = (pattern, text) => Reflect.apply(exec, pattern, [text]);
  const isEmail = (text) => match(MAIL, text) !== null && !text.includes(' ');

  function extractUrlPath(text) {
    try {
      return new (kit.url().URL)(text).pathname;
    } catch {
      return undefined;
    }
  }

  // -- letters

  const SMALL = /\b(?:an?d?|a[st]|because|but|by|en|for|i[fn]|neither|nor|o[fnr]|only|over|per|so|some|tha[tn]|the|to|up|upon|vs?\.?|versus|via|when|with|without|yet)\b/i;
  const OWN_CASE = /.(?=[A-Z]|\..)/;

  // Words of their own case, small words inside, and what stands before a colon stay as they are.
  function toTitleCase(text) {
    return text.replace(/[^\s:–—-]+|./g, (word, place) => {
      const end = place + word.length;
      const small = SMALL.test(word) && place > 0 && end < text.length;
      const before = text[end] === ':' && !/\s/.test(text.charAt(end + 1));
      return OWN_CASE.test(word) || small || before ? word : word.replace(/[A-Za-z0-9\u00C0-\u00FF]/, (letter) => letter.toUpperCase());
    });
  }

  function toSentenceCase(text) {
    let made = '';
    let rest = text;
    for (let at = rest.search(/\p{L}/u); at >= 0; at = rest.search(/\p{L}/u)) {
      rest = rest.slice(0, at) + rest[at].toUpperCase() + rest.slice(at + 1).toLowerCase();
      const stop = rest.search(/[!?.]/);
      const end = stop < 0 ? rest.length : stop + 1;
      made += rest.slice(0, end);
      rest = rest.slice(end);
    }
    return made + rest;
  }

  const toSnakeCase = (text) =>
    text.toLowerCase().replace(/[ -]/g, '_').replace(/[\u2000-\u206F\u2E00-\u2E7F\\'!"#$%&()*+,./:;<=>?@[\]^`{|}~]/g, '');

  const MARKDOWN = [
    [/^([\s\t]*)([*\-+]|\d\.)\s+/gm, '$1'],
    [/\n={2,}/g, '\n'],
    [/~~/g, ''],
    [/`{3}.*\n/g, ''],
    [/<[\w|\s|=|'|"|:|(|)|,|;|/|0-9|.|-]+[>|\\>]/g, ''],
    [/^[=-]{2,}\s*$/g, ''],
    [/\[\^.+?\](: .*?$)?/g, ''],
    [/\s{0,2}\[.*?\]: .*?$/g, ''],
    [/!\[.*?\][[(].*?[\])]/g, ''],
    [/\[(.*?)\][[(].*?[\])]/g, '$1'],
    [/>/g, ''],
    [/^\s{1,2}\[(.*?)\]: (\S+)( ".*?")?\s*$/g, ''],
    [/^#{1,6}\s*([^#]*)\s*(#{1,6})?/gm, '$1'],
    [/([*_]{1,3})(\S.*?\S)\1/g, '$2'],
    [/(`{3,})(.*?)\1/gm, '$2'],
    [/^-{3,}\s*$/g, ''],
    [/`(.+?)`/g, '$1'],
    [/\n{2,}/g, '\n\n'],
  ];
  const removeMarkdown = (text) => MARKDOWN.reduce((made, [pattern, other]) => made.replace(pattern, other), text);

  function quote(text, mark = '"') {
    const sign = String(mark);
    const escaped = text.replaceAll('\\', '\\\\');
    const found = new RegExp(`\\${sign}`, 'g');
    return sign + escaped.replace(found, `\\${sign}`) + sign;
  }

  const DIGESTS = { __proto__: null, md5: 'md5', sha1: 'sha1', sha224: 'sha224', sha256: 'sha256', sha384: 'sha384', sha512: 'sha512', sha3: 'sha3_512' };
  const base64Encode = (text) => kit.base64(kit.utf8(text));
  function hash(text, algorithm) {
    const name = algorithm?.toLowerCase() ?? 'md5';
    if (name === 'base64') return base64Encode(text);
    if (!(name in DIGESTS)) throw new Fault(`Unknown digest: ${name}. There are ${Object.keys(DIGESTS).join(', ')} and base64.`);
    return kit.digest(DIGESTS[name], null, kit.utf8(text));
  }

  // Without a time of day: midnight.
  function toDate(text) {
    const date = new Date(Date.parse(text));
    if (Number.isNaN(date.valueOf())) throw new Fault('The text can\'t be converted to a date.');
    if (!text.includes(':')) date.setHours(0, 0, 0);
    return date;
  }

  const FALSE = ['', 'false', 'no', '0'];
  methods.TEXT = {
    hash,
    removeMarkdown,
    removeTags: (text) => text.replace(/<[^>]*>?/gm, ''),
    toDate,
    toDateTime: (text, format) => kit.textToDateTime(text, format),
    toBoolean: (text) => !FALSE.includes(text.toLowerCase()),
    toDecimalNumber: toFloat,
    toNumber: (text) => number(Number(plain(text)), 'a number'),
    toFloat,
    toInt,
    toWholeNumber: toInt,
    toSentenceCase,
    toSnakeCase,
    toTitleCase,
    urlDecode: (text, whole = false) => (whole ? decodeURI(text) : decodeURIComponent(text)),
    urlEncode: (text, whole = false) => (whole ? encodeURI(text) : encodeURIComponent(text)),
    quote,
    replaceSpecialChars: (text) => kit.letters()(text),
    length: (text) => text.length,
    isDomain: (text) => match(DOMAIN, text) !== null,
    isEmail,
    isNumeric: (text) => !text.includes(' ') && !isNaN(text) && !isNaN(parseFloat(text)),
    isUrl: (text) => match(WHOLE_ADDRESS, text) !== null,
    isEmpty: (text) => text === '',
    isNotEmpty: (text) => text !== '',
    toJsonString: (text) => JSON.stringify(text),
    extractEmail: (text) => match(MAIL, text)?.[0],
    extractDomain: (text) => (isEmail(text) ? match(MAIL, text) : match(HOST, text))?.[1],
    extractUrl: (text) => match(ADDRESS, text)?.[0],
    extractUrlPath,
    parseJson,
    base64Encode,
    base64Decode: (text) => kit.fromUtf8(kit.fromBase64(text)),
  };
});
