import { expect, it } from 'vitest';
import { added, EMPTY, type Line, merged, newer, written } from './buffer';

const line = (cursor: string): Line => ({
  time: '2026-01-01T00:00:00Z',
  level: 'info',
  logger: 'jackfield',
  message: `line ${cursor}`,
  request_id: null,
  exception: null,
  fields: {},
  cursor,
});
const cursors = (lines: readonly Line[]) => lines.map(({ cursor }) => cursor).join('');

it('keeps the newest lines first, each once, and counts what it lets go of', () => {
  const some = added(added(EMPTY, [line('a'), line('b')], 3), [line('b'), line('c'), line('d')], 3);
  expect(cursors(some.lines)).toBe('dcb');
  expect(some.dropped).toBe(1);
});

it('shows what was read and what came each once', () => {
  expect(cursors(merged([line('d'), line('c')], [line('c'), line('b')]))).toBe('dcb');
});

it('writes a line with its fields and exception', () => {
  expect(written({ ...line('a'), fields: { port: 1 }, exception: 'Traceback' })).toBe(
    '2026-01-01T00:00:00Z INFO jackfield line a {"port":1}\nTraceback',
  );
});

it('counts what came since', () => {
  expect(newer([line('c'), line('b'), line('a')], [line('a')])).toBe(2);
  expect(newer([line('c')], [])).toBe(1);
});
