import { expect, test } from 'vitest';
import { line, words } from './words';

test('a line is taken apart as a shell does it', () => {
  expect(words(`-c "say \\"hi\\"" 'it s' a\\ b "" --x=1`)).toEqual(['-c', 'say "hi"', 'it s', 'a b', '', '--x=1']);
  expect(words('   ')).toEqual([]);
});

test.each([[['a b', '', "it's", '$HOME', '--x']], [[]]])('%j survives', (args) =>
  expect(words(line(args))).toEqual(args),
);
