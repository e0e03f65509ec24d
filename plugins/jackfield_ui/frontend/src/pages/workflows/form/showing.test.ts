import { describe, expect, it } from 'vitest';
import shared from '../../../../../../../tests/kernel/showing.json';
import type { NodeField, Values, When } from './model';
import { isShown, shownFields, withDefaults } from './showing';

interface Case {
  name: string;
  when: When;
  values: Values;
  top?: Values;
  version?: number;
  shown: boolean;
}

const cases = shared as unknown as Case[];

describe('a field is shown as the daemon says', () => {
  it.each(cases)('$name', ({ when, values, top, version, shown }) => {
    expect(isShown(when, values, top ?? values, version ?? 1)).toBe(shown);
  });
});

const field = (name: string, more: Partial<NodeField> = {}): NodeField => ({
  name,
  control: 'text',
  label: name,
  ...more,
});

it('shows the first field of a name', () => {
  const fields = [
    field('a', { label: 'one', when: { show: { kind: [1] } } }),
    field('a', { label: 'two' }),
    field('b'),
  ];
  expect(shownFields(fields, {}, {}, 1).map(({ label }) => label)).toEqual(['two', 'b']);
  expect(shownFields(fields, { kind: 1 }, {}, 1).map(({ label }) => label)).toEqual(['one', 'b']);
});

it('takes the default of the field that is shown, wherever it stands', () => {
  const fields = [
    field('text', { when: { show: { operation: ['post'] } }, default: 'hello' }),
    field('operation', { when: { show: { resource: ['user'] } }, default: 'get' }),
    field('operation', { when: { show: { resource: ['message'] } }, default: 'post' }),
    field('resource', { default: 'message' }),
  ];
  const defaults = withDefaults(fields, {}, {}, 1);
  expect(defaults).toEqual({ resource: 'message', operation: 'post', text: 'hello' });
  expect(withDefaults(fields, { resource: 'user' }, {}, 1)).toEqual({ resource: 'user', operation: 'get' });
});

it('comes to an end with fields that show each other', () => {
  const fields = [
    field('a', { when: { show: { b: [1] } }, default: 1 }),
    field('b', { when: { show: { a: [1] } }, default: 1 }),
  ];
  expect(withDefaults(fields, {}, {}, 1)).toEqual({});
});
