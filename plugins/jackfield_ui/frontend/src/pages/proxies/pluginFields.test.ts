import { describe, expect, it } from 'vitest';
import { isUnread, problemOf, textOf, withText } from './pluginFields';

const MOON = { type: 'moon', phase: 'full' };

describe('the condition of a plugin', () => {
  it('is shown without its type', () => {
    expect(JSON.parse(textOf(MOON))).toEqual({ phase: 'full' });
  });
  it('takes what is written, but never another type', () => {
    expect(withText(MOON, '{"phase": "new", "type": "always"}')).toEqual({ type: 'moon', phase: 'new' });
    expect(withText(MOON, '{}')).toEqual({ type: 'moon' });
  });
  it('keeps text that is no JSON, and stores none of it', () => {
    const broken = withText(MOON, '{"phase": ');
    expect(textOf(broken)).toBe('{"phase": ');
    expect(problemOf(broken)).toMatch(/JSON/);
    expect(JSON.stringify(broken)).toBe(JSON.stringify(MOON));
    expect(problemOf(withText(broken, '{"phase": "new"}'))).toBeUndefined();
  });
  it('is an object', () => {
    for (const text of ['[]', '1', 'null', '"x"']) expect(problemOf(withText(MOON, text))).toMatch(/object/);
  });
  it('is found within others', () => {
    const broken = withText(MOON, '{');
    const within = { type: 'all', conditions: [{ type: 'always' }, { type: 'not', condition: broken }] };
    expect(isUnread(within)).toBe(true);
    expect(isUnread({ type: 'all', conditions: [MOON] })).toBe(false);
  });
});
