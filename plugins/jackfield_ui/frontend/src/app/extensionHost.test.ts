// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest';
import { speak } from '../language/messages';
import { culpritOf, requested, worded } from './extensionHost';
import { fitting } from './extensions';

afterEach(() => {
  speak('en', 'en', {});
  vi.unstubAllGlobals();
});

it('gives the text of the language, else the English one', () => {
  const texts = { en: '{count} workflows of {name}', de: '{count} Workflows von {name}' };
  expect(worded(texts, { count: 1234, name: 'Ada' })).toBe('1,234 workflows of Ada');
  speak('de', 'de-DE', {});
  expect(worded(texts, { count: 1234, name: 'Ada' })).toBe('1.234 Workflows von Ada');
  speak('fr', 'fr', {});
  expect(worded(texts)).toBe('{count} workflows of {name}');
});

it.each(['//elsewhere.example/api', 'javascript:alert(1)'])('sends nothing to another server: %s', async (path) => {
  const fetch = vi.fn();
  vi.stubGlobal('fetch', fetch);
  await expect(requested('GET', path)).rejects.toThrow('is no address of this daemon');
  expect(fetch).not.toHaveBeenCalled();
});

it('takes the envelope off, and leaves other answers as they are', async () => {
  const answers = [{ success: true, data: [1] }, { total: 2 }];
  vi.stubGlobal('fetch', async () => Response.json(answers.shift()));
  expect(await requested('GET', '/api/plugins')).toEqual([1]);
  expect(await requested('POST', '/api/v1/workflows', { json: {}, query: { limit: '1' } })).toEqual({ total: 2 });
});

it('names the extension that an error comes from', () => {
  const error = new Error('x');
  error.stack = 'Error: x\n    at draw (http://127.0.0.1:8080/ui/extensions/kilns/@0123456789abcdef/kilns.js:3:9)';
  expect(culpritOf(error)).toBe('kilns');
  expect(culpritOf(new Error('ours'))).toBeUndefined();
  expect(culpritOf('kilns')).toBeUndefined();
});

it('takes modules of its version and older ones', () => {
  expect(fitting('kilns', {})).toEqual({});
  expect(fitting('kilns', { api: 1 })).toEqual({ api: 1 });
  expect(() => fitting('kilns', undefined)).toThrow('has no default export');
  expect(() => fitting('kilns', { api: 2 } as never)).toThrow('“kilns” was written for version 2');
});
