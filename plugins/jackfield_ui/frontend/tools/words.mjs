// What of the sources people read: messages, which are calls of `t` and `rich`, and strings that should be in one.
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { files } from './files.mjs';

const ROOT = new URL('../src', import.meta.url).pathname;
const OURS = /\.tsx?$/;
const OTHERS = /\.test\.tsx?$|\.d\.ts$|testing\.tsx$|\/src\/language\/(compiled|messages|choice)\.ts$/;
/** Attributes whose values people read. */
const READ = new Set([
  'about',
  'add',
  'addLabel',
  'alt',
  'aria-description',
  'aria-label',
  'aria-valuetext',
  'description',
  'empty',
  'heading',
  'help',
  'hint',
  'label',
  'none',
  'nothingFoundMessage',
  'placeholder',
  'subtitle',
  'title',
]);
/** Functions whose arguments people read. */
const SAY = new Set(['confirm', 'notifyDone', 'notifyError', 'useTitle']);
const NAMES = new Set(['t', 'rich']);
/** Two words with a blank, or a word with a capital: not a name of code, an example in it, or a product's name. */
const WORDS = /^[^{}$=/~<#]*(\b[A-Z][a-z]+\b|[a-z]{2,} [a-z]{2,})[^{}$=]*$/;
const PRODUCTS =
  /^(Jackfield|Webhook|Esc|Aa|JavaScript|Python|Claude Code|Codex|OpenCode|Alt .*|Ctrl.*|jackfield .*|X-API-Key|Authorization.*)$/;

const isMessage = (node) => ts.isCallExpression(node) && NAMES.has(node.expression.getText());

function* strings(node) {
  if (ts.isStringLiteralLike(node)) yield node;
  else if (ts.isJsxText(node)) yield node;
  else if (ts.isConditionalExpression(node)) {
    yield* strings(node.whenTrue);
    yield* strings(node.whenFalse);
  } else if (ts.isJsxExpression(node) || ts.isParenthesizedExpression(node)) {
    if (node.expression) yield* strings(node.expression);
  }
}

/** Strings at places that people read, outside of a message. */
function* bare(node) {
  if (ts.isJsxText(node)) yield* strings(node);
  else if (ts.isJsxExpression(node) && !ts.isJsxAttribute(node.parent)) yield* strings(node);
  else if (ts.isJsxAttribute(node) && READ.has(node.name.getText()) && node.initializer)
    yield* strings(node.initializer);
  else if (ts.isCallExpression(node) && SAY.has(node.expression.getText())) {
    for (const argument of node.arguments) yield* strings(argument);
  }
}

/** Gives `messages`, a map from the key of a catalogue to context, text and files, and `problems`, a list of texts. */
export function readWords() {
  const messages = new Map();
  const problems = [];
  for (const path of files(ROOT)) {
    if (!OURS.test(path) || OTHERS.test(path)) continue;
    const name = path.slice(ROOT.length - 'src'.length);
    const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
    const tell = (node, why) => {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      problems.push(`${name}:${line + 1}: ${why}`);
    };
    const visit = (node) => {
      if (isMessage(node)) {
        const [text, , context] = node.arguments;
        if (!text || !ts.isStringLiteralLike(text) || (context && !ts.isStringLiteralLike(context))) {
          tell(node, 'a message is not a plain string, so that it cannot be extracted');
        } else {
          const key = context ? `${context.text}\u0004${text.text}` : text.text;
          const known = messages.get(key) ?? { text: text.text, context: context?.text, files: new Set() };
          known.files.add(name);
          messages.set(key, known);
        }
      } else {
        for (const found of bare(node)) {
          const said = found.text.replace(/\s+/g, ' ').trim();
          if (WORDS.test(said) && !PRODUCTS.test(said)) tell(found, `'${said}' is not in a message: write t('…')`);
        }
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return { messages, problems };
}
