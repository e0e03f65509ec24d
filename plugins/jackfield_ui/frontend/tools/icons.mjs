// src/icons/drawn.ts: the icons of Tabler that the sources import. `npm run icons` writes it anew; with --check, as in
// `npm run check`, it only tells whether it is current.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { files } from './files.mjs';

const SOURCES = new URL('../src', import.meta.url).pathname;
const DRAWN = join(SOURCES, 'icons', 'drawn.ts');
const IMPORT = /import (?:type )?\{([^}]*)\} from '[./]+\/icons\/drawn'/g;
const SET = createRequire(import.meta.url)('@iconify-json/tabler/icons.json');

function imported() {
  const names = files(SOURCES)
    .filter((path) => /\.tsx?$/.test(path) && path !== DRAWN)
    .flatMap((path) => [...readFileSync(path, 'utf8').matchAll(IMPORT)])
    .flatMap(([, list]) => list.split(','))
    .map((name) =>
      name
        .replace(/^\s*type /, '')
        .replace(/ as .*/s, '')
        .trim(),
    );
  return [...new Set(names.filter(Boolean))].sort();
}

/** `arrow-back-up` is imported as `IconArrowBackUp`. */
const importedAs = (name) => `Icon${name.replace(/(?:^|-)(\w)/g, (_, letter) => letter.toUpperCase())}`;

function bodies() {
  const aliases = Object.entries(SET.aliases ?? {}).map(([name, { parent }]) => [importedAs(name), SET.icons[parent]]);
  return new Map([...aliases, ...Object.entries(SET.icons).map(([name, icon]) => [importedAs(name), icon])]);
}

function drawn(name, icon) {
  if (!icon) throw new Error(`Tabler has no ${name}.`);
  const tags = [...icon.body.matchAll(/<(\w+)/g)].map(([, tag]) => tag);
  const paths = [...icon.body.matchAll(/ d="([^"]+)"/g)].map(([, d]) => `  '${d}',\n`);
  if (tags.filter((tag) => tag !== 'g').length !== paths.length) throw new Error(`${name} has more than paths.`);
  const outlined = icon.body.includes('stroke="currentColor"');
  if (outlined === / fill="currentColor"/.test(icon.body)) throw new Error(`${name} has both lines and an area.`);
  return `export const ${name} = /* @__PURE__ */ ${outlined ? 'outlined' : 'filled'}(\n${paths.join('')});\n`;
}

function text() {
  const known = bodies();
  const lines = imported().map((name) => drawn(name, known.get(name)));
  const makers = ['filled', 'outlined'].filter((maker) => lines.some((line) => line.includes(` ${maker}(`)));
  return [
    '// Written by tools/icons.mjs: `npm run icons`. The drawings are those of Tabler Icons; LICENSE beside this file is theirs.\n',
    `import { ${makers.join(', ')} } from './icon';\n\n`,
    ...lines,
  ].join('');
}

const wanted = text();
if (!process.argv.includes('--check')) writeFileSync(DRAWN, wanted);
else if (!existsSync(DRAWN) || readFileSync(DRAWN, 'utf8') !== wanted) {
  process.stderr.write('src/icons/drawn.ts is not current: run `npm run icons`.\n');
  process.exit(1);
}
