/** The licences of drawings that stand among our own sources; Vite knows those of packages. */
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const NOTICES = { 'Tabler Icons (MIT)': '../src/icons/LICENSE' };

/** Adds them to `file`, which the build has written. */
export function notices(file: string): Plugin {
  return {
    name: 'notices',
    apply: 'build',
    writeBundle({ dir = '' }) {
      for (const [name, license] of Object.entries(NOTICES)) {
        const text = readFileSync(new URL(license, import.meta.url), 'utf8').trim();
        appendFileSync(join(dir, file), `\n## ${name}\n\n${text}\n`);
      }
    },
  };
}
