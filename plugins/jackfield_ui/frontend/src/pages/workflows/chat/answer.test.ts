import { describe, expect, it } from 'vitest';
import { answerText, ChunkReader, textOf } from './answer';

const line = (chunk: object) => `${JSON.stringify(chunk)}\n`;
const metadata = { nodeId: 'a', runIndex: 0, itemIndex: 0 };

describe('the answer of a chat', () => {
  it('is the text for people', () => {
    expect(answerText({ output: 'Hello', more: 1 })).toBe('Hello');
    expect(answerText({ text: 'Hi' })).toBe('Hi');
    expect(answerText({ sum: 5 })).toBe('{\n  "sum": 5\n}');
    expect(textOf('"quoted"')).toBe('quoted');
    expect(textOf('plain text')).toBe('plain text');
  });

  it('is read in chunks, wherever the network cuts them', () => {
    const text = [
      line({ type: 'begin', metadata }),
      line({ type: 'item', content: 'Grüß ', metadata }),
      line({ type: 'keepalive' }),
      line({ type: 'item', content: 'Gott', metadata }),
      line({ type: 'item', content: 'Other', metadata: { ...metadata, nodeId: 'b' } }),
      JSON.stringify({ type: 'error', content: 'It broke.' }),
    ].join('');
    const bytes = new TextEncoder().encode(text);
    for (const size of [1, 7, 1000]) {
      const reader = new ChunkReader();
      const found = [];
      for (let at = 0; at < bytes.length; at += size) found.push(...reader.feed(bytes.subarray(at, at + size)));
      found.push(...reader.close());
      expect(found.map(({ text: one }) => one)).toEqual(['Grüß ', 'Gott', 'Other', 'It broke.']);
      expect(new Set(found.map(({ from }) => from)).size).toBe(3);
      expect(found.at(-1)?.failed).toBe(true);
    }
  });
});
