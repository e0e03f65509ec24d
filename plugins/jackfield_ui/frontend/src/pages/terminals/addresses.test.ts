import { describe, expect, it } from 'vitest';
import { addressesIn } from './addresses';

const found = (text: string) => addressesIn(text).map(({ address }) => address);

describe('addressesIn', () => {
  it('finds addresses where they stand', () => {
    expect(addressesIn('see https://a.example.org/x?y=1#z now')).toEqual([
      { at: 4, address: 'https://a.example.org/x?y=1#z' },
    ]);
  });
  it('leaves the punctuation around them', () => {
    expect(found('(see https://a.example.org/x).')).toEqual(['https://a.example.org/x']);
    expect(found('https://a.example.org/a_(b), "https://b.example.org"!')).toEqual([
      'https://a.example.org/a_(b)',
      'https://b.example.org',
    ]);
  });
  it('takes no other scheme', () => {
    expect(found('javascript:alert(1) file:///etc/passwd xhttps://a.example.org')).toEqual([]);
  });
});
