/** The first place within `{{ }}` at which the code is none. */
import { codeIn } from '../../../../components/code/codeIn';
import { expressionParser } from '../../../../components/code/templates';

export function mistakeIn(template: string, start: number, end: number): { from: number; to: number } | undefined {
  const closed = codeIn(template).find((place) => place.start === start)?.closed ?? false;
  if (!closed) return undefined;
  const code = template.slice(start + 2, end - 2);
  const cursor = expressionParser.parse(code).cursor();
  do {
    if (cursor.type.isError) return around(code, cursor.from, cursor.to, start + 2);
  } while (cursor.next());
  return undefined;
}

/** At least one character that shows. */
function around(code: string, from: number, to: number, offset: number) {
  if (to > from) return { from: offset + from, to: offset + to };
  const next = code.slice(from).search(/\S/);
  if (next >= 0) return { from: offset + from + next, to: offset + from + next + 1 };
  const end = code.slice(0, from).trimEnd().length;
  return { from: offset + Math.max(0, end - 1), to: offset + Math.max(end, 1) };
}
