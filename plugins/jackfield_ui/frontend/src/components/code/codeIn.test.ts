import { describe, expect, it } from 'vitest';
import { mistakeIn } from '../../pages/workflows/panel/expression/mistakes';
import { codeBefore, codeIn } from './codeIn';
import { templates } from './templates';

const NESTED = `{{ \`a}}$\{ {b: 1}.b }\` }}`;

describe('code in templates', () => {
  it.each([
    ['text', []],
    ['{{ 1 }}', ['{{ 1 }}']],
    ['a {{ 1 }} b {{ 2 }}', ['{{ 1 }}', '{{ 2 }}']],
    ['{{ {a: {b: 1}} }}', ['{{ {a: {b: 1}} }}']],
    ["{{ '}}' }}", ["{{ '}}' }}"]],
    [NESTED, [NESTED]],
    ['{{ open', ['{{ open']],
    ['{{', ['{{']],
    ["{{ 'open }} x", ["{{ 'open }}"]],
    ['{{ ] }} {{ 2 }}', ['{{ ] }}', '{{ 2 }}']],
    ['\\{{ no }}', []],
  ])('%s', (template, found) => {
    expect(codeIn(template).map(({ start, end }) => template.slice(start, end))).toEqual(found);
  });

  it('is known around the cursor', () => {
    expect(codeBefore('a {{ $json.', 11)).toBe(' $json.');
    expect(codeBefore('a {{ $json. }} b', 11)).toBe(' $json.');
    expect(codeBefore('a {{ 1 }} b', 11)).toBeUndefined();
    expect(codeBefore('a {{ 1 }} b', 1)).toBeUndefined();
    expect(codeBefore('{{}}', 2)).toBe('');
  });
});

it('a mistake is found where it is, and what is right has none', () => {
  const mistake = (template: string) => {
    const place = mistakeIn(template, 0, template.length);
    return place && template.slice(place.from, place.to);
  };
  expect(mistake('{{ $json.a ++ }}')).toBeUndefined();
  expect(mistake('{{ {a: 1} }}')).toBeUndefined();
  expect(mistake('{{ $json.a) }}')).toBe(')');
  expect(mistake('{{ $json. }}')).toBe('.');
  expect(mistake('{{ 1 + }}')).toBe('+');
});

it('text outside of the braces is no code', () => {
  const tree = templates().language.parser.parse('for {{ $json.a }} in');
  expect([1, 5, 10, 13, 19].map((at) => tree.resolveInner(at, 1).name)).toEqual([
    'Template',
    'Code',
    'VariableName',
    'PropertyName',
    'Template',
  ]);
});

it('whatever is typed can be read at every moment', () => {
  const { parser } = templates().language;
  for (const whole of ['a {{ }} b', '{{}}', '{{', "{{ $json['a'] }}{{ {a: {}} }}", '{{}}}}', NESTED]) {
    for (let end = 0; end <= whole.length; end += 1) {
      const template = whole.slice(0, end);
      expect(parser.parse(template).length).toBe(end);
      for (const { start, end: stop } of codeIn(template)) mistakeIn(template, start, stop);
    }
  }
});
