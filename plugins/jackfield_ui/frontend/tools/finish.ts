/** What the build does at its end: compressed twins of every text file, and the list of what the first page loads. */

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { HtmlTagDescriptor, Plugin, Rolldown } from 'vite';
import { ROOT, reached } from './chunks.ts';

const TEXT = /\.(js|css|html|svg|json|webmanifest)$/;
/** Below this a compressed file saves no packet. */
const WORTHWHILE = 1024;

function files(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? files(path) : [path];
  });
}

function chunkOf(bundle: Rolldown.OutputBundle, name: string): Rolldown.OutputChunk | undefined {
  const found = bundle[name];
  return found?.type === 'chunk' ? found : undefined;
}

const importsOf = (bundle: Rolldown.OutputBundle, name: string) => chunkOf(bundle, name)?.imports ?? [];

const holds = (chunk: Rolldown.OutputChunk, path: string) => chunk.moduleIds.some((id) => id.includes(path));

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
