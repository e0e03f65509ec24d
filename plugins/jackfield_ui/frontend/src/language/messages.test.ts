import { afterEach, expect, it } from 'vitest';
import { placeholders } from '../../tools/messages.mjs';
import { bestOf } from './choice';
import { compiled } from './compiled';
import { rich, speak, t } from './messages';

const ROWS = '{rows, plural, one {Delete # row of “{name}”?} other {Delete # rows of “{name}”?}}';

afterEach(() => speak('en', 'en', {}));

it('takes the plural form of the language, and writes numbers as it does', () => {
  expect(t(ROWS, { rows: 1, name: 'a' })).toBe('Delete 1 row of “a”?');
  expect(t(ROWS, { rows: 1200, name: 'a' })).toBe('Delete 1,200 rows of “a”?');
  const german = '{rows, plural, one {# Zeile von „{name}“ löschen?} other {# Zeilen von „{name}“ löschen?}}';
  speak('de', 'de-DE', { [ROWS]: compiled(german) });
  expect(t(ROWS, { rows: 1200, name: 'a' })).toBe('1.200 Zeilen von „a“ löschen?');
});

it('says it in English where a catalogue has no translation', () => {
  speak('de', 'de', { Close: ['Schließen'] });
  expect(t('Close')).toBe('Schließen');
  expect(t('Open {name}', { name: 'x' })).toBe('Open x');
});

it('tells words apart by their context', () => {
  speak('de', 'de', { 'state\u0004Open': ['Offen'], Open: ['Öffnen'] });
  expect([t('Open'), t('Open', {}, 'state')]).toEqual(['Öffnen', 'Offen']);
});

it('never reads a value as a message', () => {
  expect(t('Open {name}', { name: '{id} <b>\\u0041</b>', id: 1 })).toBe('Open {id} <b>\\u0041</b>');
  expect(t('{a}{b}', { a: undefined, b: 0 })).toBe('0');
});

it('puts elements around the parts that a message names', () => {
  const shown = rich('See <link>the {what}</link>.', { link: (inner) => ['[', inner, ']'], what: 'page' });
  expect(JSON.stringify(shown)).toMatch(/See .*\[.*the .*page.*\]/);
});

it('takes the first language that there is', () => {
  expect(bestOf(['fr', 'de-AT', 'en'])).toEqual({ language: 'de', locale: 'de-AT' });
  expect(bestOf(['fr'])).toEqual({ language: 'en', locale: 'en' });
});

it('sees placeholders that differ between two languages', () => {
  expect(placeholders('{name} of <b>{all}</b>')).toBe(placeholders('<b>{all}</b>: {name}'));
  expect(placeholders('{name}')).not.toBe(placeholders('{nme}'));
  expect(placeholders(ROWS)).toBe('name rows, plural');
});
