import { afterEach, expect, it } from 'vitest';
import base from '../../../../../src/jackfield/api/errors.py?raw';
import { compiled } from '../language/compiled';
import { speak } from '../language/messages';
import { away, errorOf, messageOf } from './errors';
import { SAID } from './said';

const refused = (code: string) => errorOf(403, { code, error: 'Only administrators may do this.' }, new Headers());

afterEach(() => speak('en', 'en', {}));

it('leaves it to the daemon in English', () => {
  expect(messageOf(refused('ACCESS_DENIED'))).toBe('Only administrators may do this.');
});

it('names a code in another language, with the sentence of the daemon below', () => {
  speak('de', 'de', { 'You are not allowed to do this.': compiled('Das dürfen Sie nicht.') });
  expect(messageOf(refused('ACCESS_DENIED'))).toBe('Das dürfen Sie nicht.\nOnly administrators may do this.');
  expect(messageOf(refused('NEW_CODE'))).toBe('Only administrators may do this.');
  expect(messageOf(refused('constructor'))).toBe('Only administrators may do this.');
  expect(messageOf(away())).toBe('The daemon does not answer.');
  expect(messageOf(new Error('x'))).toBe('x');
});

it('knows codes that the daemon has', () => {
  const codes = new Set([...base.matchAll(/\bcode(?:: str)? = "([A-Z_]+)"/g)].map(([, code]) => code));
  expect(Object.keys(SAID).filter((code) => !codes.has(code))).toEqual([]);
});
