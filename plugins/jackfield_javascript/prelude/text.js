// Bytes and text: UTF-8, hex, base64 and digests, for both kinds of scripts.
(function (kit) {
  'use strict';

  const CHUNK = 8192;

  function latin1(bytes) {
    let text = '';
    for (let start = 0; start < bytes.length; start += CHUNK) {
      text += String.fromCharCode.apply(null, bytes.subarray(start, start + CHUNK));
    }
    return text;
  }

  function fromLatin1(text) {
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes;
  }

  function utf8(text) {
    const bytes = [];
    for (const letter of String(text)) {
      let code = letter.codePointAt(0);
      if (code >= 0xd800 && code < 0xe000) code = 0xfffd;
      if (code < 0x80) bytes.push(code);
      else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 63));
      else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
      else bytes.push(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
    }
    return Uint8Array.from(bytes);
  }

  // [length, lowest second byte, highest second byte] of the sequence that a byte starts; null when it starts none.
  function sequence(lead) {
    if (lead < 0x80) return [1, 0, 0];
    if (lead >= 0xc2 && lead < 0xe0) return [2, 0x80, 0xbf];
    if (lead >= 0xe0 && lead < 0xf0) return [3, lead === 0xe0 ? 0xa0 : 0x80, lead === 0xed ? 0x9f : 0xbf];
    if (lead >= 0xf0 && lead < 0xf5) return [4, lead === 0xf0 ? 0x90 : 0x80, lead === 0xf4 ? 0x8f : 0xbf];
    return null;
  }

  function fromUtf8(bytes) {
    const parts = [];
    let text = '';
    for (let i = 0; i < bytes.length; ) {
      const shape = sequence(bytes[i]);
      let code = shape ? bytes[i] & (0xff >> (shape[0] === 1 ? 0 : shape[0] + 1)) : 0xfffd;
      let used = 1;
      for (; shape && used < shape[0]; used++) {
        const next = bytes[i + used];
        const [low, high] = used === 1 ? [shape[1], shape[2]] : [0x80, 0xbf];
        if (!(next >= low && next <= high)) {
          code = 0xfffd;
          break;
        }
        code = (code << 6) | (next & 63);
      }
      i += used;
      text += String.fromCodePoint(code);
      if (text.length > CHUNK) {
        parts.push(text);
        text = '';
      }
    }
    return parts.join('') + text;
  }

  function hex(bytes) {
    const parts = [];
    for (const byte of bytes) parts.push(byte < 16 ? '0' + byte.toString(16) : byte.toString(16));
    return parts.join('');
  }

  function fromHex(text) {
    const whole = /^(?:[0-9a-f]{2})*/i.exec(text)[0];
    const bytes = new Uint8Array(whole.length / 2);
    for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(whole.slice(2 * i, 2 * i + 2), 16);
    return bytes;
  }

  const toBase64 = btoa;
  const ofBase64 = atob;
  const base64 = (bytes) => toBase64(latin1(bytes));

  function fromBase64(text) {
    const plain = String(text).replace(/-/g, '+').replace(/_/g, '/').replace(/[^A-Za-z0-9+/]/g, '');
    return fromLatin1(ofBase64(plain.length % 4 === 1 ? plain.slice(0, -1) : plain));
  }

  // Hex digest of bytes; with a key, an HMAC.
  const { hashBytes } = kit.host;
  function digest(algorithm, key, bytes) {
    const answer = hashBytes(String(algorithm), key === null ? null : hex(key), hex(bytes));
    if (!answer.startsWith('=')) throw new kit.Fault(answer);
    return answer.slice(1);
  }

  Object.assign(kit, { digest, latin1, fromLatin1, utf8, fromUtf8, hex, fromHex, base64, fromBase64 });
});
