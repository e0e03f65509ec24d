/** A parameter's place in the words of its form. Pure. */
import type { NodeField } from '../form/model';

/** path: below `parameters`, as `difference` tells it. What no form names is made readable. */
export function fieldWords(path: string, fields: readonly NodeField[]): string {
  let known: readonly NodeField[] = fields;
  const words: string[] = [];
  for (const part of path.split(/[.[]/)) {
    if (part.endsWith(']')) {
      words.push(String(Number(part.slice(0, -1)) + 1));
      continue;
    }
    const field = known.find(({ name }) => name === part);
    const group = known.flatMap(({ groups = [] }) => groups).find(({ name }) => name === part);
    if (field) known = [field, ...(field.fields ?? []), ...insideOf(field)];
    else if (group) known = group.fields ?? [];
    const word = field?.label ?? group?.label ?? readable(part);
    // Lists of assignments and conditions have their own name inside themselves.
    if (word !== words.at(-1)) words.push(word);
  }
  return words.join(' \u203a ');
}

/** A field with groups is known by their names next. */
function insideOf({ groups = [] }: NodeField): NodeField[] {
  return groups.flatMap(({ fields = [] }) => fields);
}

function readable(name: string): string {
  const spaced = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
