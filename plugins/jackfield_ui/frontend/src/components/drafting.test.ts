import { describe, expect, it } from 'vitest';
import { drafted } from './drafting';

describe('drafted', () => {
  it('tells changes of one’s own', () => {
    expect(drafted('a', 'a', 'a')).toBe('clean');
    expect(drafted('b', 'a', 'a')).toBe('dirty');
  });
  it('follows what is stored while nothing would be lost', () => {
    expect(drafted('a', 'a', 'b')).toBe('follow');
    expect(drafted('b', 'a', 'b')).toBe('follow');
  });
  it('tells when both have changed', () => {
    expect(drafted('c', 'a', 'b')).toBe('outdated');
  });
});
