import { describe, expect, test } from 'vitest';
import { bars, boxes, hasRoom, type Node, panes, split, without, withSession, withShare } from './layout';

const one: Node = { kind: 'pane', id: 'a', session: '1' };
const b = { kind: 'pane', id: 'b', session: '2' } as const;
const c = { kind: 'pane', id: 'c', session: '3' } as const;

describe('panes', () => {
  const two = split(one, 'a', 'row', b, 'x');
  const three = split(two, 'b', 'column', c, 'y');

  test('a split halves the room of its pane alone', () => {
    expect(boxes(three).get('a')).toEqual({ left: 0, top: 0, width: 50, height: 100 });
    expect(boxes(three).get('c')).toEqual({ left: 50, top: 50, width: 50, height: 50 });
    expect(bars(three).map((bar) => bar.split.id)).toEqual(['x', 'y']);
  });

  test('a pane is divided only where both halves can be read', () => {
    const whole = { width: 800, height: 300 };
    const box = boxes(three).get('c') ?? { left: 0, top: 0, width: 0, height: 0 };
    expect(hasRoom(box, 'row', whole)).toBe(true);
    expect(hasRoom({ ...box, width: 25 }, 'row', whole)).toBe(false);
    expect(hasRoom(box, 'column', whole)).toBe(false);
  });

  test('what is closed gives its room to its neighbour', () => {
    const left = without(three, 'b');
    expect(left && panes(left).map(({ id }) => id)).toEqual(['a', 'c']);
    expect(left && boxes(left).get('c')?.height).toBe(100);
    expect(without(one, 'a')).toBeUndefined();
  });

  test('a bar moves within limits, and a pane takes another session', () => {
    expect(boxes(withShare(two, 'x', 1)).get('a')?.width).toBe(10);
    expect(panes(withSession(three, 'c', '9')).at(-1)?.session).toBe('9');
  });
});
