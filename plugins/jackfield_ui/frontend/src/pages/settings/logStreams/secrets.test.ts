import { expect, it } from 'vitest';
import { areGood, checkedHeaders, type Secrets, sentSecrets } from './secrets';

const NOTHING: Secrets = { secret: '', unsigned: false, headers: null };
const pair = (key: string, value: string) => ({ key, value, secret: true });

it('keeps what nobody has typed anew', () => {
  expect(sentSecrets('http', NOTHING)).toEqual({ secret: null, headers: null });
  expect(sentSecrets('otlp', NOTHING).headers).toBeNull();
});

it('replaces all headers at once, and a secret alone', () => {
  const headers = [pair(' X-Token ', ' a '), pair('', '')];
  expect(sentSecrets('http', { ...NOTHING, secret: 's', headers })).toEqual({
    secret: 's',
    headers: { 'X-Token': ' a ' },
  });
  expect(sentSecrets('http', { ...NOTHING, unsigned: true, headers: [] })).toEqual({ secret: '', headers: {} });
});

it('leaves nothing secret with a kind that has no use for it', () => {
  const given = { ...NOTHING, secret: 's', headers: [pair('a', 'b')] };
  expect(sentSecrets('syslog', given)).toEqual({ secret: '', headers: {} });
  expect(sentSecrets('otlp', given)).toEqual({ secret: '', headers: { a: 'b' } });
});

it('tells a header that would be lost', () => {
  const twice = checkedHeaders([pair('X-A', '1'), pair('x-a', '2'), pair('', '3'), pair('', '')]);
  expect(twice.map(({ error }) => Boolean(error))).toEqual([false, true, true, false]);
  expect(areGood(twice)).toBe(false);
  expect(areGood(checkedHeaders(twice.slice(0, 1)))).toBe(true);
  expect(areGood(null)).toBe(true);
});
