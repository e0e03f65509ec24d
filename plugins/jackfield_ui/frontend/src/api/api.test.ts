import { describe, expect, it } from 'vitest';
import { fuzzy } from '../app/fuzzy';
import { safeNext } from '../app/safeNext';
import { backoff } from './connection';
import { errorOf } from './errors';

describe('errors', () => {
  it('reads the envelope of /api/v1', () => {
    const body = {
      error: 'Invalid request',
      code: 'VALIDATION_ERROR',
      message: 'No.',
      details: { 'nodes[2].name': 'Field required' },
      requestId: 'r1',
    };
    const error = errorOf(400, body, new Headers());
    expect(error).toMatchObject({ status: 400, code: 'VALIDATION_ERROR', message: 'No.', requestId: 'r1' });
    expect(error.fields).toEqual({ 'nodes[2].name': 'Field required' });
  });

  it('reads the envelope of /api, and what is no JSON', () => {
    const limited = errorOf(
      429,
      { success: false, error: 'Wait.', code: 'RATE_LIMITED' },
      new Headers({ 'retry-after': '7' }),
    );
    expect(limited).toMatchObject({ message: 'Wait.', retryAfter: 7 });
    expect(errorOf(502, undefined, new Headers()).message).toContain('502');
  });
});

describe('waiting for the daemon', () => {
  it('doubles up to a limit and is spread', () => {
    expect(backoff(0, () => 0)).toBe(500);
    expect(backoff(2, () => 1)).toBe(4_000);
    expect(backoff(99, () => 1)).toBe(15_000);
  });
});

describe('the address after the login', () => {
  it.each([
    ['/ui/workflows?x=1#y', '/ui/workflows?x=1#y'],
    ['/', '/'],
    [null, '/'],
    ['//evil.example.com', '/'],
    ['/ui//evil.example.com', '/'],
    ['/ui/\\evil', '/'],
    ['/ui/../api/v1/users', '/'],
    ['/ui/a\nb', '/'],
    ['javascript:alert(1)', '/'],
    ['/uix', '/'],
  ])('%j becomes %s', (next, safe) => expect(safeNext(next, 'http://127.0.0.1:8765')).toBe(safe));
});

describe('search', () => {
  it('prefers beginnings of words, and finds letters in order', () => {
    expect(fuzzy('xyz', 'Workflows')).toBe(0);
    expect(fuzzy('wf', 'Workflows')).toBeGreaterThan(0);
    expect(fuzzy('pro', 'Proxies')).toBeGreaterThan(fuzzy('pro', 'Improve'));
  });
});
