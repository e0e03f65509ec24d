export interface Found {
  at: number;
  address: string;
}

const BRACKETS = [
  { open: '(', close: ')' },
  { open: '[', close: ']' },
];
const ADDRESS = /\bhttps?:\/\/[^\s"'<>`{}|\\^]+/gi;

/** Addresses of the web within a text, without the punctuation of the sentence around them. */
export function addressesIn(text: string): Found[] {
  return [...text.matchAll(ADDRESS)].flatMap(({ 0: found, index }) => {
    const address = trimmed(found);
    return URL.canParse(address) ? [{ at: index, address }] : [];
  });
}

function trimmed(address: string): string {
  let text = address.replace(/[.,:;!?]+$/, '');
  for (const { open, close } of BRACKETS) {
    // One that closes what was opened before the address.
    while (text.endsWith(close) && count(text, close) > count(text, open)) {
      text = text.slice(0, -1).replace(/[.,:;!?]+$/, '');
    }
  }
  return text;
}

function count(text: string, sign: string): number {
  return text.split(sign).length - 1;
}
