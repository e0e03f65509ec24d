/** What the build does at its end: compressed twins of every text file, and the list of what the first page loads. */

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

const TEXT = /\.(js|css|html|svg|json|webmanifest)$/;
/** Below this a compressed file saves no packet. */
const WORTHWHILE = 1024;

function files(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? files(path) : [path];
  });
}

export function precompress(): Plugin {
  let out = '';
  return {
    name: 'precompress',
    apply: 'build',
    configResolved(config) {
      out = join(config.root, config.build.outDir);
    },
    closeBundle() {
      for (const path of files(out)) {
        // index.html gets its nonce at every answer, so the server compresses nothing of it.
        if (!TEXT.test(path) || path.endsWith('index.html')) continue;
        const text = readFileSync(path);
        if (text.length < WORTHWHILE) continue;
        const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
        writeFileSync(`${path}.br`, brotliCompressSync(text, { params }));
        writeFileSync(`${path}.gz`, gzipSync(text, { level: 9 }));
      }
    },
  };
}

/** Writes node_modules/.cache/first-load.json: the scripts that the dashboard needs. `npm run size` adds them up. */
export function budget(): Plugin {
  let root = '';
  return {
    name: 'budget',
    apply: 'build',
    configResolved(config) {
      root = config.root;
    },
    writeBundle(_options, bundle) {
      const needed = new Set<string>();
      const add = (name: string) => {
        const chunk = bundle[name];
        if (chunk?.type !== 'chunk' || needed.has(name)) return;
        needed.add(name);
        chunk.imports.forEach(add);
      };
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue;
        if (chunk.isEntry || chunk.facadeModuleId?.includes('/pages/dashboard/')) add(chunk.fileName);
      }
      const sizes = [...needed].map((name) => {
        const chunk = bundle[name];
        return { name, gzip: chunk?.type === 'chunk' ? gzipSync(chunk.code, { level: 9 }).length : 0 };
      });
      writeFileSync(join(root, 'node_modules', '.first-load.json'), JSON.stringify(sizes, null, 2));
    },
  };
}
