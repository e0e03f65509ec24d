import { expect, test } from 'vitest';
import { visible, visibleInput } from './visible';

test.each([
  ['rm -rf #\u202e/pmt/', 'rm -rf #\\u202e/pmt/'],
  ['a\u200bb\ufeff\u2066c', 'a\\u200bb\\ufeff\\u2066c'],
  ['\u{e0041}\r\u001b[2K', '\\ue0041\\u000d\\u001b[2K'],
  ['two\n\tlines, é 語 😀', 'two\n\tlines, é 語 😀'],
])('%j is shown as %j', (text, shown) => expect(visible(text)).toBe(shown));

test('an input is JSON, and text stays text', () => {
  expect(visibleInput({ command: 'ls\n\u202e' })).toBe('{\n  "command": "ls\\n\\u202e"\n}');
  expect(visibleInput('ls\n')).toBe('ls\n');
});
