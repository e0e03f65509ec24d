import { expect, it } from 'vitest';
import { picked } from './range';

const KEYS = ['a', 'b', 'c', 'd'];

it('selects one, or all from the last one to it', () => {
  expect([...picked(KEYS, new Set(), 'b', undefined)]).toEqual(['b']);
  expect([...picked(KEYS, new Set(['b']), 'd', 'b')]).toEqual(['b', 'c', 'd']);
  expect([...picked(KEYS, new Set(['a', 'b', 'c']), 'b', 'c')]).toEqual(['a']);
  expect([...picked(KEYS, new Set(['z']), 'a', 'z')]).toEqual(['z', 'a']);
});
