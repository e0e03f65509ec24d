import { expect, test } from 'vitest';
import type { ChatMessage } from '../../api/types';
import { extended, merged, NOTHING } from './merge';

const said = (id: number, revision: number, text: string): ChatMessage => ({
  id,
  revision,
  time: '2026-01-31T12:00:00.000Z',
  complete: true,
  message: { type: 'text', text, cut: false },
});

const texts = (told: { messages: readonly ChatMessage[] }) =>
  told.messages.map(({ message }) => ('text' in message ? message.text : ''));

test('messages stand in their order, and the later state of one counts', () => {
  const told = merged(NOTHING, [said(2, 4, 'two'), said(1, 3, 'one')]);
  expect(texts(told)).toEqual(['one', 'two']);
  expect(told.revision).toBe(4);
  expect(texts(merged(told, [said(2, 9, 'new'), said(1, 2, 'old')]))).toEqual(['one', 'new']);
});

test('a text grows by what was added, once', () => {
  const begun = extended(NOTHING, { id: 1, revision: 1, type: 'text', text: 'Hel' });
  const grown = extended(begun, { id: 1, revision: 2, type: 'text', text: 'lo' });
  expect(texts(grown)).toEqual(['Hello']);
  expect(grown.messages[0]?.complete).toBe(false);
  expect(extended(grown, { id: 1, revision: 2, type: 'text', text: 'lo' })).toBe(grown);
  expect(texts(merged(grown, [said(1, 3, 'Hello!')]))).toEqual(['Hello!']);
});
