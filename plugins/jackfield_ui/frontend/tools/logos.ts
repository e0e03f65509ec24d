/** Pictures of services, a file each: the browser asks for those alone that it shows. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Plugin } from 'vite';

interface Icon {
  body: string;
  width?: number;
  height?: number;
}

interface IconSet {
  icons: Record<string, Icon>;
  aliases?: Record<string, { parent: string }>;
  width?: number;
  height?: number;
}

const require = createRequire(import.meta.url);

function read(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** `logos.json`: name -> set and icon, such as `logos:slack-icon`. */
function pictures(): Map<string, string> {
  const table = read(new URL('../src/logos/logos.json', import.meta.url).pathname) as Record<string, string>;
  const sets = new Map<string, IconSet>();
  return new Map(
    Object.entries(table).map(([name, source]) => {
      const [set = '', icon = ''] = source.split(':');
      if (!sets.has(set)) sets.set(set, read(require.resolve(`@iconify-json/${set}/icons.json`)) as IconSet);
      return [name, svg(sets.get(set) as IconSet, icon, source)];
    }),
  );
}

function svg(set: IconSet, name: string, source: string): string {
  const icon = set.icons[name] ?? set.icons[set.aliases?.[name]?.parent ?? ''];
  if (!icon) throw new Error(`logos.json: there is no ${source}`);
  const { width = set.width ?? 16, height = set.height ?? 16, body } = icon;
  return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 ${width} ${height}">${body}</svg>`;
}

export function logos(): Plugin {
  return {
    name: 'logos',
    generateBundle() {
      for (const [name, source] of pictures()) {
        this.emitFile({ type: 'asset', fileName: `logos/${name}.svg`, source });
      }
    },
    configureServer(server) {
      const made = pictures();
      server.middlewares.use('/ui/logos', (request, response, next) => {
        const source = made.get((request.url ?? '').replace(/^\/|\.svg$/g, ''));
        if (source === undefined) return next();
        response.setHeader('content-type', 'image/svg+xml');
        response.end(source);
      });
    },
  };
}
