import { expect, test } from 'vitest';
import { aliasProblem, envOf, fits, pairsOf, proposedAlias } from './model';

test('names are checked and proposed', () => {
  expect(['work', 'a-1_B', '9'].map(aliasProblem)).toEqual([undefined, undefined, undefined]);
  for (const bad of ['', '-a', 'a b', 'ä', '../x', 'x'.repeat(65)]) expect(aliasProblem(bad)).toBeTruthy();
  expect(proposedAlias('claude', 'zai', [])).toBe('claude-zai');
  expect(proposedAlias('claude', 'zai', ['Claude-ZAI', 'claude-zai-2'])).toBe('claude-zai-3');
  expect(aliasProblem(proposedAlias('.x.', '<b>', []))).toBeUndefined();
});

test('an agent uses providers of its dialect, and its own login', () => {
  const claude = { dialect: 'anthropic' };
  expect([fits(claude, { type: 'anthropic-compatible' }), fits(claude, { type: 'openai' })]).toEqual([true, false]);
  expect([fits(claude, { type: 'self' }), fits({ dialect: null }, { type: 'openai' })]).toEqual([true, true]);
});

test('an environment survives, whatever its names', () => {
  const env = JSON.parse('{"A": "1", "__proto__": "x", "API_KEY": "***"}');
  expect(pairsOf(env).map(({ secret }) => secret)).toEqual([false, false, true]);
  const back = envOf(pairsOf(env));
  expect(back.valid).toBe(true);
  expect(Object.keys(back.env)).toEqual(['A', '__proto__', 'API_KEY']);
  const wrong = envOf([
    { key: 'A', value: '' },
    { key: 'A', value: '' },
    { key: 'B=C', value: '' },
    { key: ' ', value: '' },
  ]);
  expect(wrong.valid).toBe(false);
  expect(wrong.pairs.map(({ error }) => Boolean(error))).toEqual([false, true, true, true]);
});
