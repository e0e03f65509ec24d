import { expect, test } from 'vitest';
import { isAnswer } from './answers';

test.each([
  '\x1b[?1;2c',
  '\x1b[>0;276;0c',
  '\x1b[0n',
  '\x1b[12;40R',
  '\x1b]11;rgb:ffff/ffff/ffff\x1b\\',
  '\x1bP1$r0m\x1b\\',
  '\x1b[?2004;1$y',
  '\x1b[8;24;80t',
])('%j is an answer of the terminal', (text) => expect(isAnswer(text)).toBe(true));

test.each(['a', '\x1b[A', '\x1bOP', '\x1b', '\x03', '\r', '\x1b[200~\x1b[0n', '\x1b[1;5C'])(
  '%j is typed by somebody',
  (text) => expect(isAnswer(text)).toBe(false),
);
