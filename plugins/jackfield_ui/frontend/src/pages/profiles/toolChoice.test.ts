import { expect, test } from 'vitest';
import { choiceOf, namesIn, scopeOf, toggled } from './toolChoice';

test('a choice is the stored one and back', () => {
  const scope = { offered: false, without: ['a', 'b'], tools: ['run_workflow'] };
  expect(scopeOf(choiceOf(scope))).toEqual(scope);
  expect(scopeOf(choiceOf({}))).toEqual({ offered: true, without: [], tools: [] });
});

test('a name is added, and taken away again', () => {
  const once = toggled('a', 'b');
  expect(namesIn(once)).toEqual(['a', 'b']);
  expect(toggled(once, 'a')).toBe('b');
  expect(toggled('', 'a')).toBe('a');
});
