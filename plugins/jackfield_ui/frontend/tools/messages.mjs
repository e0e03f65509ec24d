// The catalogues of src/language/catalogues. `npm run messages` brings them up to date with the sources; with --check,
// as in `npm run check`, it only tells what is missing. docs/translating.md says how to add a language.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage';
import PO from 'pofile';
import { readWords } from './words.mjs';

const FOLDER = new URL('../src/language/catalogues/', import.meta.url);
const SOURCE = 'en';
const RULES = [
  [/^(What|Who|Whose)\b/, 'begins with What, Who or Whose'],
  [/ {2}/, 'has two blanks'],
  [/\b(color|behavior|favorite|canceled|center)\b/i, 'is not British'],
  [/\b(please|simply|just(?! now)|easy|easily)\b/i, 'has a word that says nothing'],
  [/!$/, 'ends with an exclamation mark'],
];
const LONGEST = 25; // words of a sentence

const keyOf = ({ msgid, msgctxt }) => (msgctxt ? `${msgctxt}\u0004${msgid}` : msgid);
const pathOf = (language) => new URL(`${language}.po`, FOLDER);

function read(language) {
  try {
    return PO.parse(readFileSync(pathOf(language), 'utf8'));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return new PO();
  }
}

/** The catalogue with the messages of the sources: what is translated stays, what is gone leaves. */
function renewed(language, messages) {
  const catalogue = read(language);
  const known = new Map(catalogue.items.map((item) => [keyOf(item), item]));
  catalogue.headers = { 'Content-Type': 'text/plain; charset=utf-8', Language: language };
  catalogue.headerOrder = Object.keys(catalogue.headers);
  catalogue.items = [...messages.keys()].sort().map((key) => {
    const { text, context, files } = messages.get(key);
    const item = known.get(key) ?? new PO.Item();
    item.msgid = text;
    if (context) item.msgctxt = context;
    item.references = [...files].sort();
    return item;
  });
  return catalogue;
}

/** Names of placeholders and tags, with the kind of plural forms, in order. */
export function placeholders(message) {
  const found = [];
  const visit = (tokens) => {
    for (const token of tokens) {
      if (Array.isArray(token)) {
        found.push(token[1] ? `${token[0]}, ${token[1]}` : token[0]);
        for (const form of Object.values(token[2] ?? {})) if (Array.isArray(form)) visit(form);
      } else for (const [tag] of token.matchAll(/<\/?\w+>/g)) found.push(tag);
    }
  };
  visit(compileMessageOrThrow(message));
  return [...new Set(found)].sort().join(' ');
}

function flaws(language, catalogue) {
  return catalogue.items.flatMap((item) => {
    const told = (why) => [`${language}.po: '${item.msgid}' ${why}.`];
    const text = item.msgstr.join('');
    try {
      const wanted = placeholders(item.msgid);
      if (language === SOURCE) return [];
      if (!text) return told('is not translated');
      return placeholders(text) === wanted ? [] : told(`has other placeholders than ${wanted || 'none'}`);
    } catch (error) {
      return told(`cannot be read: ${error.message}`);
    }
  });
}

function badEnglish({ msgid, references }) {
  return msgid
    .replaceAll(/\{\w+, plural, one \{|\} other \{|\}\}/g, '. ')
    .split(/(?<=[.!?…])\s+/)
    .flatMap((sentence) => {
      const broken = RULES.filter(([rule]) => rule.test(sentence)).map(([, why]) => why);
      if (sentence.split(/\s+/).length > LONGEST) broken.push(`has more than ${LONGEST} words`);
      return broken.map((why) => `${references[0]}: '${sentence}' ${why}.`);
    });
}

function main(check) {
  const { messages, problems } = readWords();
  const languages = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.po'))
    .map((name) => name.slice(0, -'.po'.length));
  for (const language of new Set([SOURCE, ...languages])) {
    const catalogue = renewed(language, messages);
    const text = `${catalogue.toString()}\n`;
    if (language === SOURCE) problems.push(...catalogue.items.flatMap(badEnglish));
    problems.push(...flaws(language, catalogue));
    if (!check) writeFileSync(pathOf(language), text);
    else if (readFileSync(pathOf(language), 'utf8') !== text) {
      problems.push(`${language}.po is not current: run \`npm run messages\`, and translate what has changed.`);
    }
  }
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exit(problems.length ? 1 : 0);
}

if (process.argv[1] === new URL(import.meta.url).pathname) main(process.argv.includes('--check'));
