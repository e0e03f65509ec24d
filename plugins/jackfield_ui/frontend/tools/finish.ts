/** What the build does at its end: compressed twins of every text file, and the list of what the first page loads. */

import { statSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, gzipSync } from 'node:zlib';
import type { HtmlTagDescriptor, Plugin, Rolldown } from 'vite';
import { ROOT, reached } from './chunks.ts';
import { files } from './files.mjs';

const TEXT = /\.(js|css|html|svg|json|webmanifest)$/;
/** Below this a compressed file saves no packet. */
const WORTHWHILE = 1024;
/** Files in work at once: as many as zlib has threads. */
const AT_ONCE = 4;

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

function chunkOf(bundle: Rolldown.OutputBundle, name: string): Rolldown.OutputChunk | undefined {
  const found = bundle[name];
  return found?.type === 'chunk' ? found : undefined;
}

const importsOf = (bundle: Rolldown.OutputBundle, name: string) => chunkOf(bundle, name)?.imports ?? [];

const holds = (chunk: Rolldown.OutputChunk, path: string) => chunk.moduleIds.some((id) => id.includes(path));

async function compress(path: string): Promise<void> {
  const text = await readFile(path);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
  await Promise.all([
    toBrotli(text, { params }).then((made) => writeFile(`${path}.br`, made)),
    toGzip(text, { level: 9 }).then((made) => writeFile(`${path}.gz`, made)),
  ]);
}

export function precompress(): Plugin {
  let out = '';
  return {
    name: 'precompress',
    apply: 'build',
    configResolved(config) {
      out = join(config.root, config.build.outDir);
    },
    async closeBundle() {
      // The largest come first, so that no thread ends with one of them alone. index.html gets its nonce at every
      // answer, so the server compresses nothing of it.
      const left = files(out)
        .filter((path) => TEXT.test(path) && !path.endsWith('index.html') && statSync(path).size >= WORTHWHILE)
        .sort((a, b) => statSync(a).size - statSync(b).size);
      const worker = async () => {
        for (let path = left.pop(); path !== undefined; path = left.pop()) await compress(path);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
    },
  };
}

/** The page names what its entry imports later on, so that all of it is fetched at once. */
export function linked(): Plugin {
  return {
    name: 'linked',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const root = Object.values(bundle).find((one) => one.type === 'chunk' && holds(one, ROOT));
        const needed = [...reached(root ? [root.fileName] : [], (name) => importsOf(bundle, name))];
        const tag = (rel: string, name: string): HtmlTagDescriptor[] =>
          html.includes(name)
            ? []
            : [{ tag: 'link', attrs: { rel, crossorigin: true, href: `/ui/${name}` }, injectTo: 'head' }];
        const styles = needed.flatMap((name) => [...(chunkOf(bundle, name)?.viteMetadata?.importedCss ?? [])]);
        return [
          ...needed.flatMap((name) => tag('modulepreload', name)),
          ...styles.flatMap((name) => tag('stylesheet', name)),
        ];
      },
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
      const first = Object.values(bundle).filter(
        (one) => one.type === 'chunk' && (one.isEntry || holds(one, ROOT) || holds(one, '/pages/dashboard/')),
      );
      const needed = reached(
        first.map(({ fileName }) => fileName),
        (name) => importsOf(bundle, name),
      );
      const sizes = [...needed].map((name) => {
        const code = chunkOf(bundle, name)?.code ?? '';
        return { name, gzip: gzipSync(code, { level: 9 }).length };
      });
      writeFileSync(join(root, 'node_modules', '.first-load.json'), JSON.stringify(sizes, null, 2));
    },
  };
}
