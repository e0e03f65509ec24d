// What no page may do, whatever the linter thinks: hostile names and payloads are text, always.
import { readFileSync } from 'node:fs';
import { files } from './files.mjs';

const FORBIDDEN = [
  [/dangerouslySetInnerHTML|\.innerHTML\b|\.outerHTML\b|insertAdjacentHTML|document\.write/, 'HTML made of strings'],
  [/\beval\(|new Function\(/, 'code made of strings'],
  [
    /https?:\/\/(?!127\.0\.0\.1|localhost|www\.w3\.org|[\w.]*example\.(com|org))[a-z0-9]/i,
    'an address of somebody else',
  ],
  [/\bNumberInput\b/, 'a field that reads 0.50 as 50 in German; use NumberField'],
];
// An answer's type comes from schema.d.ts by its path, so what the daemon changes is a mistake here at once.
const ASSERTED = [
  [
    /\b(request|tagged|body|data|usePaged|useCursor)<[^>]/,
    'an answer whose type is asserted; use api.GET and its like',
  ],
  [/\b(await )?(body|data|api\.[A-Z]+)\(.*\) as (?!const\b)/, 'an answer whose type is asserted; use it as it is'],
  [/\bcreateClient\b|\bnew XMLHttpRequest\b|\bfetch\(['"`]\/api/, 'a way to the API beside the typed client'],
];
const CLIENT = /\/src\/api\/(client|paging)\.ts$|\.test\.tsx?$/;
const root = new URL('../src', import.meta.url).pathname;

let bad = 0;
for (const path of files(root)) {
  if (!/\.(tsx?|css)$/.test(path) || path.endsWith('schema.d.ts')) continue;
  readFileSync(path, 'utf8')
    .split('\n')
    .forEach((line, index) => {
      for (const [pattern, what] of CLIENT.test(path) ? FORBIDDEN : [...FORBIDDEN, ...ASSERTED]) {
        if (!pattern.test(line)) continue;
        bad += 1;
        process.stderr.write(`${path}:${index + 1}: ${what}\n`);
      }
    });
}
process.exit(bad ? 1 : 0);
