/** A parameter's place in the words of its form. Pure. */
import { isRecord } from '../../../api/errors';
import { readable } from '../../../components/readable';
import type { NodeField, Values } from '../form/model';
import { isShown, withDefaults } from '../form/showing';

/** The form of a node, and what the node holds: its parameters now, and what they were, as some fields are gone. */
export interface Described {
  fields: readonly NodeField[];
  states: readonly Values[];
  /** By which fields are shown. */
  version: number;
}

const NO_FORM: Described = { fields: [], states: [], version: 0 };

/** path: as `difference` tells it. Of fields with one name, the one that is shown. What no form names is made readable. */
export function fieldWords(path: string, node: Described = NO_FORM): string {
  const parts = path.split(/[.[]/);
  const inForm = parts.length > 1 && parts[0] === 'parameters';
  let known = inForm ? node.fields : [];
  let at: readonly unknown[] = node.states;
  const words: string[] = [];
  for (const part of inForm ? parts.slice(1) : parts) {
    if (part.endsWith(']')) {
      const index = Number(part.slice(0, -1));
      at = at.map((value) => (Array.isArray(value) ? value[index] : undefined));
      words.push(String(index + 1));
      continue;
    }
    const named = known.filter(({ name }) => name === part);
    const field = named.length > 1 ? (shownOf(named, known, at, node) ?? named[0]) : named[0];
    const group = known.flatMap(({ groups = [] }) => groups).find(({ name }) => name === part);
    if (field) known = [field, ...(field.fields ?? []), ...insideOf(field)];
    else if (group) known = group.fields ?? [];
    at = at.map((value) => (isRecord(value) ? value[part] : undefined));
    const word = field?.label ?? group?.label ?? readable(part);
    // Lists of assignments and conditions have their own name inside themselves.
    if (word !== words.at(-1)) words.push(word);
  }
  return words.join(' \u203a ');
}

/** at: what holds the field, in each state. */
function shownOf(
  named: readonly NodeField[],
  beside: readonly NodeField[],
  at: readonly unknown[],
  { fields, states, version }: Described,
): NodeField | undefined {
  for (const [index, state] of states.entries()) {
    const given = at[index];
    if (!isRecord(given)) continue;
    const top = withDefaults(fields, state, state, version);
    const values = withDefaults(beside, given, top, version);
    const found = named.find(({ when }) => isShown(when, values, top, version));
    if (found) return found;
  }
  return undefined;
}

/** A field with groups is known by their names next. */
function insideOf({ groups = [] }: NodeField): NodeField[] {
  return groups.flatMap(({ fields = [] }) => fields);
}
