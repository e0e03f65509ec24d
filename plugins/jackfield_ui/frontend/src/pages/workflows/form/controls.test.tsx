// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import type { Control, NodeField } from './model';
import { choose, prepare, shown } from './testing';

vi.mock('../../../components/CodeEditor', () => import('./PlainEditor'));
prepare();

function field(control: Control, more: Partial<NodeField> = {}): NodeField {
  return { name: 'it', control, label: 'Thing', ...more };
}

function drop(target: HTMLElement, dragged: { expression: string; name: string; type: string }): void {
  fireEvent.drop(target, {
    dataTransfer: { types: ['application/x-jackfield-field'], getData: () => JSON.stringify(dragged) },
  });
}

describe('inputs of one value', () => {
  it.each<Control>(['text', 'textarea', 'code', 'secret', 'color'])('%s writes a text', async (control) => {
    const form = shown([field(control)]);
    await form.user.type(screen.getByLabelText('Thing'), '#abc');
    expect(form.value()).toEqual({ it: '#abc' });
    await form.user.clear(screen.getByLabelText('Thing'));
    expect(form.value()).toEqual({});
  });

  it('an emptied text with a default is an empty text', async () => {
    const form = shown([field('text', { default: 'before' })]);
    expect(screen.getByDisplayValue('before')).toBeTruthy();
    await form.user.clear(screen.getByLabelText('Thing'));
    expect(form.value()).toEqual({ it: '' });
  });

  it('a number in a text stays a number', async () => {
    const form = shown([field('text')], { it: 4 });
    await form.user.type(screen.getByLabelText('Thing'), '2');
    expect(form.value()).toEqual({ it: 42 });
  });

  it('number', async () => {
    const form = shown([field('number', { default: 5, options: { min: 1, max: 9 } })]);
    const input = screen.getByLabelText('Thing');
    await form.user.clear(input);
    expect(form.value()).toEqual({});
    expect((input as HTMLInputElement).value).toBe('');
    await form.user.type(input, '7');
    expect(form.value()).toEqual({ it: 7 });
  });

  it.each(['=', '{'])('%s begins an expression in a number', async (begun) => {
    const form = shown([field('number', { default: 5 })]);
    await form.user.type(screen.getByLabelText('Thing'), begun === '{' ? '{{{{' : begun);
    expect(String(form.value().it)).toMatch(/^=/);
    expect(screen.getByRole('button', { name: 'Expression for Thing' }).getAttribute('aria-pressed')).toBe('true');
  });

  it('an expression is pasted into a number', async () => {
    const form = shown([field('number', { default: 5 })]);
    await form.user.click(screen.getByLabelText('Thing'));
    await form.user.paste('{{ $json.total }}');
    expect(form.value()).toEqual({ it: '={{ $json.total }}' });
  });

  it('switch', async () => {
    const form = shown([field('switch', { default: true })]);
    await form.user.click(screen.getByRole('switch', { name: 'Thing' }));
    expect(form.value()).toEqual({ it: false });
  });

  it('date', () => {
    const form = shown([field('date')], { it: '2026-01-02T03:04:00' });
    fireEvent.change(screen.getByLabelText('Thing'), { target: { value: '2026-05-06T07:08' } });
    expect(form.value()).toEqual({ it: '2026-05-06T07:08' });
  });

  it('a date in another form is a text', () => {
    shown([field('date')], { it: '2026-01-02T03:04:00.000Z' });
    expect(screen.getByLabelText('Thing').getAttribute('type')).toBe('text');
  });

  it('notice says something and holds nothing', () => {
    const form = shown([field('notice', { label: 'Mind the kiln.' }), { ...field('hidden'), name: 'no' }], { no: 1 });
    expect(screen.getByText('Mind the kiln.')).toBeTruthy();
    expect(screen.queryByRole('textbox')).toBeNull();
    expect(form.value()).toEqual({ no: 1 });
  });
});

describe('json', () => {
  it('keeps a text a text', () => {
    const form = shown([field('json', { default: '' })]);
    fireEvent.change(screen.getByLabelText('Thing'), { target: { value: '{"a"' } });
    expect(form.value()).toEqual({ it: '{"a"' });
  });

  it('keeps an object an object, and what is not JSON yet on the screen', () => {
    const form = shown([field('json')], { it: { a: 1 } });
    const editor = screen.getByLabelText<HTMLTextAreaElement>('Thing');
    fireEvent.change(editor, { target: { value: '{"a": 2' } });
    expect(form.value()).toEqual({ it: { a: 1 } });
    expect(editor.value).toBe('{"a": 2');
    fireEvent.change(editor, { target: { value: '{"a": 2}' } });
    expect(form.value()).toEqual({ it: { a: 2 } });
  });
});

const CHOICES = [
  { value: 'a', label: 'First' },
  { value: 2, label: 'Second' },
  { value: true, label: 'Third' },
];

describe('choices', () => {
  it('select keeps the type of its values', async () => {
    const form = shown([field('select', { choices: CHOICES, default: 'a' })]);
    await choose(form.user, 'Thing', 'Second');
    expect(form.value()).toEqual({ it: 2 });
    await choose(form.user, 'Thing', 'Third');
    expect(form.value()).toEqual({ it: true });
  });

  it('select shows a value that nobody offers', () => {
    shown([field('select', { choices: CHOICES })], { it: 'older' });
    expect(screen.getByDisplayValue('older')).toBeTruthy();
  });

  it('select offers what cannot run only where it is chosen already', async () => {
    const choices = [...CHOICES, { value: 'd', label: 'Fourth', unavailable: 'It is not made yet.' }];
    const form = shown([field('select', { choices })], { it: 'a' });
    await form.user.click(screen.getByRole('combobox', { name: 'Thing' }));
    await screen.findByRole('option', { name: 'Third' });
    expect(screen.queryByRole('option', { name: /Fourth/ })).toBeNull();
    cleanup();
    shown([field('select', { choices })], { it: 'd' });
    expect(screen.getByDisplayValue('Fourth (cannot run here)')).toBeTruthy();
    expect(screen.getByText('Cannot run here: It is not made yet.')).toBeTruthy();
  });

  it('multiselect', async () => {
    const form = shown([field('multiselect', { choices: CHOICES })], { it: ['a', 'older'] });
    await choose(form.user, 'Thing', 'Second');
    expect(form.value()).toEqual({ it: ['a', 'older', 2] });
  });

  it('several texts', async () => {
    const form = shown([field('text', { multiple: true })], { it: ['a'] });
    await form.user.type(screen.getByRole('combobox', { name: 'Thing' }), 'b{Enter}');
    expect(form.value()).toEqual({ it: ['a', 'b'] });
  });
});

describe('collection', () => {
  const fields: NodeField[] = [
    { name: 'limit', control: 'number', label: 'Limit', default: 10 },
    { name: 'sort', control: 'text', label: 'Sort' },
    { name: 'deep', control: 'text', label: 'Deep', when: { show: { '/mode': ['b'] } } },
  ];

  it('adds what is not there, and removes', async () => {
    const form = shown([field('collection', { fields })]);
    await form.user.click(screen.getByRole('button', { name: 'Add option: Thing' }));
    expect(screen.getAllByRole('menuitem').map((one) => one.textContent)).toEqual(['Limit', 'Sort']);
    await form.user.click(screen.getByRole('menuitem', { name: 'Limit' }));
    expect(form.value()).toEqual({ it: { limit: 10 } });
    await form.user.click(screen.getByRole('button', { name: 'Add option: Thing' }));
    expect(screen.getAllByRole('menuitem').map((one) => one.textContent)).toEqual(['Sort']);
    await form.user.keyboard('{Escape}');
    await form.user.click(screen.getByRole('button', { name: 'Remove Limit' }));
    expect(form.value()).toEqual({ it: {} });
  });

  it('shows what the rest of the form asks for', async () => {
    shown([field('collection', { fields }), { name: 'mode', control: 'text', label: 'Mode', default: 'b' }], {
      it: { deep: 'x' },
    });
    expect(screen.getByDisplayValue('x')).toBeTruthy();
  });

  it('keeps options of others', async () => {
    const form = shown([field('collection', { fields })], { it: { odd: [1], sort: 'up' } });
    await form.user.type(screen.getByRole('textbox', { name: 'Sort' }), '!');
    expect(form.value()).toEqual({ it: { odd: [1], sort: 'up!' } });
    expect(screen.getByLabelText('odd')).toBeTruthy();
  });

  it('is a list of objects', async () => {
    const form = shown([field('collection', { label: 'Things', multiple: true, fields: fields.slice(1, 2) })], {
      it: [{ sort: 'a' }, { sort: 'b' }],
    });
    await form.user.click(screen.getByRole('button', { name: 'Move Thing 2 up' }));
    expect(form.value()).toEqual({ it: [{ sort: 'b' }, { sort: 'a' }] });
    await form.user.click(screen.getByRole('button', { name: 'Add thing' }));
    expect(form.value()).toEqual({ it: [{ sort: 'b' }, { sort: 'a' }, {}] });
  });
});

describe('fixedCollection', () => {
  const groups = [
    {
      name: 'values',
      label: 'Header',
      fields: [
        { name: 'name', control: 'text', label: 'Name', default: '' },
        { name: 'value', control: 'text', label: 'Value', default: '' },
      ],
    },
  ] satisfies NodeField['groups'];

  it('holds rows that are added, moved and removed', async () => {
    const form = shown([field('fixedCollection', { groups, multiple: true })]);
    await form.user.click(screen.getByRole('button', { name: 'Add header' }));
    await form.user.type(screen.getByLabelText('Name'), 'X');
    expect(form.value()).toEqual({ it: { values: [{ name: 'X', value: '' }] } });
    await form.user.click(screen.getByRole('button', { name: 'Add header' }));
    await form.user.click(screen.getByRole('button', { name: 'Move Header 1 down' }));
    await form.user.click(screen.getByRole('button', { name: 'Remove Header 1' }));
    expect(form.value()).toEqual({ it: { values: [{ name: 'X', value: '' }] } });
  });

  it('holds one object of a group', async () => {
    const form = shown([field('fixedCollection', { groups })]);
    await form.user.click(screen.getByRole('button', { name: 'Add header' }));
    await form.user.type(screen.getByLabelText('Value'), 'v');
    expect(form.value()).toEqual({ it: { values: { name: '', value: 'v' } } });
    await form.user.click(screen.getByRole('button', { name: 'Remove Header' }));
    expect(form.value()).toEqual({ it: {} });
  });

  it('tells what each of several groups adds', () => {
    const several = ['Text', 'Number'].map((label) => ({ name: label, label, fields: [] }));
    shown([field('fixedCollection', { groups: several, multiple: true, options: { add: 'Add value' } })]);
    expect(screen.getByRole('button', { name: 'Add value: Text' })).toBeDefined();
    expect(screen.getByRole('button', { name: 'Add value: Number' })).toBeDefined();
  });

  it('shows groups of others as JSON', () => {
    shown([field('fixedCollection', { groups })], { it: { older: { a: 1 } } });
    expect(screen.getByLabelText<HTMLTextAreaElement>('older').value).toContain('"a": 1');
  });
});

describe('assignments', () => {
  it('have names, types and values', async () => {
    const form = shown([field('assignments')]);
    await form.user.click(screen.getByRole('button', { name: 'Add a field' }));
    await form.user.type(screen.getByLabelText('Name of field 1'), 'size');
    await choose(form.user, 'Type of field 1', 'Number');
    await form.user.type(screen.getByLabelText('Value of size'), '4');
    const { assignments } = form.value().it as { assignments: unknown[] };
    expect(assignments).toEqual([{ id: expect.any(String), name: 'size', type: 'number', value: 4 }]);
  });

  it('take a dropped field with its type, and no name twice', () => {
    const form = shown([field('assignments')], {
      it: { assignments: [{ id: '1', name: 'n', type: 'string', value: '' }] },
    });
    const dragged = JSON.stringify({ expression: '{{ $json.n }}', name: 'n', type: 'number' });
    const data = { types: ['application/x-jackfield-field'], getData: () => dragged };
    fireEvent.drop(screen.getByRole('group', { name: 'Thing' }), { dataTransfer: data });
    const { assignments } = form.value().it as { assignments: unknown[] };
    expect(assignments[1]).toEqual({ id: expect.any(String), name: 'n1', type: 'number', value: '={{ $json.n }}' });
  });
});

describe('filter', () => {
  it('begins strict, as in n8n', async () => {
    const form = shown([field('filter')]);
    await form.user.click(screen.getByRole('button', { name: 'Add a condition' }));
    expect(form.value().it).toEqual({
      options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
      combinator: 'and',
      conditions: [
        { id: expect.any(String), leftValue: '', rightValue: '', operator: { type: 'string', operation: 'equals' } },
      ],
    });
  });

  it('keeps what it has, and writes values of the type', async () => {
    const row = {
      id: '1',
      leftValue: '={{ $json.n }}',
      rightValue: '',
      operator: { type: 'string', operation: 'equals' },
    };
    const form = shown([field('filter')], {
      it: { options: { typeValidation: 'loose' }, conditions: [row], combinator: 'or' },
    });
    await choose(form.user, 'Type of condition 1', 'Number');
    await choose(form.user, 'Comparison of condition 1', 'is at least');
    await form.user.type(screen.getByLabelText('Compared with 1'), '18');
    expect(form.value().it).toEqual({
      options: { typeValidation: 'loose' },
      combinator: 'or',
      conditions: [{ ...row, rightValue: 18, operator: { type: 'number', operation: 'gte' } }],
    });
    await choose(form.user, 'Comparison of condition 1', 'exists');
    expect(screen.queryByLabelText('Compared with 1')).toBeNull();
  });
});

describe('locator', () => {
  const modes = [
    { name: 'list', label: 'From list' },
    { name: 'id', label: 'By ID', placeholder: 'C012' },
    { name: 'url', label: 'By URL' },
  ];

  it('keeps its shape, its other keys, and the mode', async () => {
    const given = { __rl: true, mode: 'id', value: 'a', cachedResultName: 'A', __regex: 'x' };
    const form = shown([field('locator', { options: { modes } })], { it: given });
    await form.user.type(screen.getByRole('textbox', { name: 'Thing' }), 'b');
    expect(form.value()).toEqual({ it: { __rl: true, mode: 'id', value: 'ab', __regex: 'x' } });
    await choose(form.user, 'Mode of Thing', 'By URL');
    expect(form.value()).toEqual({ it: { __rl: true, mode: 'url', value: 'ab', __regex: 'x' } });
  });

  it('a plain text stays one', async () => {
    const form = shown([field('locator', { options: { modes } })], { it: 'a' });
    await form.user.type(screen.getByRole('textbox', { name: 'Thing' }), 'b');
    expect(form.value()).toEqual({ it: 'ab' });
  });

  it('an expression is in its value', async () => {
    const form = shown([field('locator', { options: { modes } })], { it: { __rl: true, mode: 'id', value: 'a' } });
    await form.user.click(screen.getByRole('button', { name: 'Expression for Thing' }));
    expect(form.value()).toEqual({ it: { __rl: true, mode: 'id', value: '=a' } });
  });
});

describe('mapper', () => {
  const given = {
    mappingMode: 'defineBelow',
    value: { id: '={{ $json.id }}' },
    matchingColumns: ['id'],
    schema: [
      { id: 'id', displayName: 'ID', type: 'string', display: true },
      { id: 'name', displayName: 'Name', type: 'string', display: true, removed: true },
    ],
    attemptToConvertTypes: false,
  };

  it('maps, adds and removes columns in n8n’s shape', async () => {
    const form = shown([field('mapper')], { it: given });
    await choose(form.user, 'Add a column', 'Name');
    await form.user.type(screen.getByRole('textbox', { name: 'Name' }), 'x');
    const [id, name] = given.schema;
    expect(form.value().it).toEqual({
      ...given,
      value: { id: '={{ $json.id }}', name: 'x' },
      schema: [id, { id: 'name', displayName: 'Name', type: 'string', display: true }],
    });
    await form.user.click(screen.getByRole('button', { name: 'Remove the column Name' }));
    expect(form.value().it).toEqual({ ...given, schema: [id, { ...name, removed: true }] });
  });

  it('takes a column that somebody knows', async () => {
    const form = shown([field('mapper')], { it: { mappingMode: 'defineBelow', value: null } });
    await form.user.type(screen.getByRole('combobox', { name: 'Add a column' }), 'Weight');
    await form.user.click(await screen.findByRole('option', { name: 'Use “Weight”' }));
    expect(form.value().it).toMatchObject({ value: { Weight: '' }, schema: [{ id: 'Weight', displayName: 'Weight' }] });
  });
});

describe('around the controls', () => {
  it('marks what is needed, helps, and shows what is wrong by path', () => {
    const one = field('fixedCollection', {
      multiple: true,
      groups: [
        {
          name: 'values',
          label: 'Value',
          fields: [{ name: 'n', control: 'text', label: 'Name', required: true, help: 'Of the thing.' }],
        },
      ],
    });
    shown(
      [one],
      { it: { values: [{}, {}] } },
      { errors: { 'it.values[1].n': 'It is needed.', other: 'It is wrong.' } },
    );
    const row = within(screen.getByRole('group', { name: 'Thing 2' }));
    expect(row.getByText('It is needed.')).toBeTruthy();
    expect(row.getByText('Of the thing.')).toBeTruthy();
    expect(within(screen.getByRole('group', { name: 'Thing 1' })).queryByText('It is needed.')).toBeNull();
    expect(screen.getByText('other: It is wrong.')).toBeTruthy();
  });

  it('the first that is shown of a name counts', async () => {
    const form = shown([
      field('select', { name: 'kind', label: 'Kind', choices: CHOICES, default: 'a' }),
      field('text', { label: 'For a', when: { show: { kind: ['a'] } } }),
      field('number', { label: 'Else' }),
    ]);
    expect(screen.getByLabelText('For a')).toBeTruthy();
    await choose(form.user, 'Kind', 'Second');
    expect(screen.getByLabelText('Else')).toBeTruthy();
    expect(screen.queryByLabelText('For a')).toBeNull();
  });

  it('{{ makes an expression of a text, with the text kept', async () => {
    const form = shown([field('text')], { it: 'Hello ' });
    await form.user.type(screen.getByLabelText('Thing'), '{{{{');
    expect(form.value()).toEqual({ it: '=Hello {{}}' });
    expect(screen.getByLabelText<HTMLTextAreaElement>('Thing, expression').value).toBe('Hello {{}}');
  });

  it.each(['textarea', 'secret', 'json', 'color'] as const)('{{ makes an expression of %s', (control) => {
    const form = shown([field(control)]);
    fireEvent.change(screen.getByLabelText('Thing'), { target: { value: '{{' } });
    expect(form.value()).toEqual({ it: '={{}}' });
  });

  it.each(['number', 'date', 'switch', 'select', 'multiselect'] as const)(
    '{{ makes an expression of %s, which takes no braces',
    (control) => {
      const form = shown([field(control)], { it: control === 'number' ? 5 : undefined });
      const [input] = screen.getAllByLabelText('Thing');
      fireEvent.keyDown(input as HTMLElement, { key: '{' });
      fireEvent.keyDown(input as HTMLElement, { key: 'Shift' });
      expect(form.changes()).toBe(0);
      fireEvent.keyDown(input as HTMLElement, { key: '{' });
      expect(form.value()).toEqual({ it: '={{}}' });
    },
  );

  it('{{ is JavaScript’s own in a program, and makes an expression of SQL', () => {
    const form = shown([
      field('code', { label: 'Program', options: { language: 'javaScript' } }),
      field('code', { name: 'query', label: 'Query', options: { language: 'sql' } }),
    ]);
    fireEvent.change(screen.getByLabelText('Program'), { target: { value: '{{ }}' } });
    fireEvent.change(screen.getByLabelText('Query'), { target: { value: 'select {{ $json.id }}' } });
    expect(form.value()).toEqual({ it: '{{ }}', query: '=select {{ $json.id }}' });
  });

  it('a field dropped on a text stands behind it', () => {
    const form = shown([field('text')], { it: 'Hello' });
    drop(screen.getByLabelText('Thing'), { expression: '{{ $json.n }}', name: 'n', type: 'string' });
    expect(form.value()).toEqual({ it: '=Hello {{ $json.n }}' });
  });

  it('a field dropped on a condition gives it its type, also where an expression is to be written', () => {
    const form = shown([field('filter')], {
      it: { conditions: [{ id: 'c', leftValue: '=', operator: { type: 'string', operation: 'contains' } }] },
    });
    drop(screen.getByLabelText('Value 1, expression'), { expression: '{{ $json.n }}', name: 'n', type: 'number' });
    expect(form.value().it).toMatchObject({
      options: { typeValidation: 'strict' },
      conditions: [{ leftValue: '={{ $json.n }}', operator: { type: 'number', operation: 'equals' } }],
    });
  });

  it('fields dropped on assignments have their types, and never the name of another one', () => {
    const form = shown([field('assignments')], {});
    const zone = screen.getByRole('group', { name: 'Thing' });
    for (const type of ['number', 'array']) drop(zone, { expression: '{{ $json.n }}', name: 'n', type });
    const { assignments } = form.value().it as { assignments: { name: string; type: string }[] };
    expect(assignments.map(({ name }) => name)).toEqual(['n', 'n1']);
    expect(assignments.map(({ type }) => type)).toEqual(['number', 'array']);
  });

  it('a dropped field is taken as an expression', () => {
    const form = shown([field('number')]);
    const dragged = JSON.stringify({ expression: '{{ $json.n }}', name: 'n', type: 'number' });
    fireEvent.drop(screen.getByLabelText('Thing'), {
      dataTransfer: { types: ['application/x-jackfield-field'], getData: () => dragged },
    });
    expect(form.value()).toEqual({ it: '={{ $json.n }}' });
  });

  it('fixed and back gives the value again', async () => {
    const form = shown([field('number')], { it: 5 });
    await form.user.click(screen.getByRole('button', { name: 'Expression for Thing' }));
    expect(form.value()).toEqual({ it: '={{ 5 }}' });
    await form.user.click(screen.getByRole('button', { name: 'Fixed value for Thing' }));
    expect(form.value()).toEqual({ it: 5 });
  });

  it('who may not write sees no buttons', () => {
    shown(
      [
        field('fixedCollection', { multiple: true, groups: [{ name: 'v', label: 'V' }] }),
        { ...field('text'), name: 'b' },
      ],
      { it: { v: [{}] } },
      { editable: false },
    );
    expect(screen.queryAllByRole('button')).toEqual([]);
  });
});
