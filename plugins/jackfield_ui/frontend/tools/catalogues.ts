/** Lingui's compiled form of a language's catalogue, as a module. English needs none: it stands in the source. */
import { readFileSync } from 'node:fs';
import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage';
import PO from 'pofile';
import type { Plugin } from 'vite';

/** Between context and message, as in src/language/messages.ts. */
const CONTEXT = '\u0004';

export function catalogues(): Plugin {
  return {
    name: 'catalogues',
    load(id) {
      if (!id.endsWith('.po')) return undefined;
      const messages = PO.parse(readFileSync(id, 'utf8')).items.flatMap(({ msgid, msgctxt, msgstr: [text] }) =>
        text ? [[msgctxt ? `${msgctxt}${CONTEXT}${msgid}` : msgid, compileMessageOrThrow(text)]] : [],
      );
      // The engine reads JSON faster than objects of a script.
      return `export default JSON.parse(${JSON.stringify(JSON.stringify(Object.fromEntries(messages)))});`;
    },
  };
}
