import { describe, expect, it } from 'vitest';
import { asks, pasteable } from './pasting';

describe('pasteable', () => {
  it('leaves text as it is, of every language', () => {
    expect(pasteable('echo "ä € 漢字 👩‍💻"\tend')).toBe('echo "ä € 漢字 👩‍💻"\tend');
  });
  it('has one kind of line end', () => {
    expect(pasteable('a\r\nb\rc\n')).toBe('a\nb\nc\n');
  });
  it('takes out what would end a bracketed paste', () => {
    expect(pasteable('ls\x1b[201~\nrm -rf ~\n')).toBe('ls[201~\nrm -rf ~\n');
    expect(pasteable('a\x9b201~\x03\x7f\x00b')).toBe('a201~b');
  });
});

describe('asks', () => {
  it('asks about lines that would run', () => {
    expect(asks('one\ntwo', false)).toBe('lines');
    expect(asks('one\n', false)).toBe('lines');
    expect(asks('one', false)).toBeUndefined();
  });
  it('trusts a program that knows pasted lines', () => {
    expect(asks('one\ntwo', true)).toBeUndefined();
    expect(asks('x'.repeat(100_001), true)).toBe('much');
  });
});
