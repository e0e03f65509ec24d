/** What xterm does at run time and the page's policy refuses, said in the way that it allows. */

import type { Plugin } from 'vite';

/** Text of @xterm/xterm, how often it must be there, and what takes its place. */
const CHANGES: readonly [RegExp, number, string][] = [
  // Its <style> elements carry the page's nonce.
  [/([\w$.]+)\.createElement\("style"\)/g, 3, 'jfStyled($1)'],
  // A style attribute made of text is refused; the same text set as a property is not.
  [/([\w$]+)\.setAttribute\("style",/g, 1, 'jfStyle($1,'],
];

const HEAD = `import { getNonce as jfNonce } from 'get-nonce';
function jfStyled(at) { const made = at.createElement('style'); made.nonce = jfNonce() ?? ''; return made; }
function jfStyle(element, text) { element.style.cssText = text; }
`;

/** Fails the build when a new version of xterm has not what is changed here. */
export function xtermPolicy(): Plugin {
  return {
    name: 'xterm-policy',
    apply: 'build',
    transform(code, id) {
      if (!/@xterm\/xterm\/lib\/xterm\.mjs$/.test(id)) return null;
      let changed = code;
      for (const [pattern, times, text] of CHANGES) {
        const found = code.match(pattern)?.length ?? 0;
        if (found !== times) throw new Error(`xterm has ${pattern} ${found} times, not ${times}: see tools/xterm.ts`);
        changed = changed.replace(pattern, text);
      }
      return { code: HEAD + changed, map: null };
    },
  };
}
