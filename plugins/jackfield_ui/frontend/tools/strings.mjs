// strings.txt: everything that the interface says, in one place, with how often. `npm run strings` writes it, and
// `npm run check` holds that it is current and that the rules for our English are kept.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = new URL('../src', import.meta.url).pathname;
const CATALOGUE = new URL('../strings.txt', import.meta.url).pathname;

// Attributes and properties whose values people read. Others are names, classes and values of the API.
const READ = new Set([
  'action',
  'aria-description',
  'aria-label',
  'aria-valuetext',
  'body',
  'description',
  'empty',
  'error',
  'heading',
  'help',
  'hint',
  'label',
  'message',
  'nothingFoundMessage',
  'placeholder',
  'subtitle',
  'text',
  'title',
  'what',
]); // prettier-ignore
// Functions whose arguments people read.
const SAY = new Set(['notifyDone', 'notifyError', 'confirm', 'useTitle', 'Error']);
const RULES = [
  [/^(What|Who|Whose)\b/, 'begins with What, Who or Whose'],
  [/ {2}/, 'has two blanks'],
  [/\b(color|behavior|favorite|canceled|center)\b/i, 'is not British'],
  [/\b(please|simply|just|easy|easily)\b/i, 'has a word that says nothing'],
  [/!$/, 'ends with an exclamation mark'],
];
const LONGEST = 25; // words of a sentence

function files(folder) {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? files(path) : [path];
    });
}

/** The text of a string or template; what is put in is `{}`. */
function textOf(node) {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `{}${literal.text}`).join('');
}

/** All strings that an expression may be: both sides of a choice, the words of a list. */
function* said(node) {
  const text = textOf(node);
  if (text !== undefined) yield text;
  else if (ts.isConditionalExpression(node)) {
    yield* said(node.whenTrue);
    yield* said(node.whenFalse);
  } else if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) yield* said(node.expression);
  else if (ts.isBinaryExpression(node)) {
    yield* said(node.left);
    yield* said(node.right);
  } else if (ts.isJsxExpression(node) && node.expression) yield* said(node.expression);
}

function* strings(node) {
  if (ts.isJsxText(node)) yield node.text.replace(/\s+/g, ' ').trim();
  else if (ts.isJsxExpression(node) && node.parent && ts.isJsxElement(node.parent) && node.expression) {
    yield* said(node.expression);
  } else if (ts.isJsxAttribute(node) && READ.has(node.name.getText()) && node.initializer)
    yield* said(node.initializer);
  else if (ts.isPropertyAssignment(node) && READ.has(node.name.getText().replace(/['"]/g, ''))) {
    yield* said(node.initializer);
  } else if ((ts.isCallExpression(node) || ts.isNewExpression(node)) && SAY.has(node.expression.getText())) {
    for (const argument of node.arguments ?? []) yield* said(argument);
  }
  for (const child of node.getChildren()) yield* strings(child);
}

const found = new Map();
for (const path of files(ROOT)) {
  if (!/\.tsx?$/.test(path) || /\.test\.tsx?$|schema\.d\.ts$|testing\.tsx$/.test(path)) continue;
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  for (const text of strings(source)) {
    if (/[A-Za-z]{2}/.test(text)) found.set(text, found.get(text) ?? path.slice(ROOT.length + 1));
  }
}

let bad = 0;
for (const [text, path] of found) {
  for (const sentence of text.split(/(?<=[.!?…])\s+/)) {
    const broken = RULES.filter(([rule]) => rule.test(sentence)).map(([, why]) => why);
    if (sentence.split(/\s+/).length > LONGEST) broken.push(`has more than ${LONGEST} words`);
    for (const why of broken) {
      bad += 1;
      process.stderr.write(`src/${path}: '${sentence}' ${why}.\n`);
    }
  }
}

const catalogue = `${[...found.keys()]
  .sort()
  .map((text) => text.replaceAll('\n', '\\n'))
  .join('\n')}\n`;
if (process.argv.includes('--check')) {
  let known = '';
  try {
    known = readFileSync(CATALOGUE, 'utf8');
  } catch {
    // There is none yet.
  }
  if (known !== catalogue) {
    bad += 1;
    process.stderr.write('strings.txt is not current: run `npm run strings`, and read what has changed.\n');
  }
} else writeFileSync(CATALOGUE, catalogue);
process.exit(bad ? 1 : 0);
