/** Where the columns of a CSV file go. */
import { t } from '../../../language/messages';
import type { ColumnType, DataColumn } from '../queries';
import type { CsvPreview } from './requests';

export type Goal = { kind: 'out' } | { kind: 'column'; name: string } | { kind: 'new'; name: string; type: ColumnType };

/** As the daemon takes it. */
export interface Taken {
  place: number;
  name: string;
  type?: ColumnType;
}

/** Columns that every table has itself. */
const SYSTEM = new Set(['id', 'createdAt', 'updatedAt']);
const NAME = /^[a-zA-Z][a-zA-Z0-9_]*$/;

/** What is proposed: columns go to those of their names. columns: undefined: of a table that is not there yet. */
export function goalsOf({ columns: found }: CsvPreview, columns: readonly DataColumn[] | undefined): Goal[] {
  const taken = new Set<string>();
  return found.map(({ name, suggestedName, type }) => {
    if (!columns) return SYSTEM.has(name) ? { kind: 'out' } : { kind: 'new', name: suggestedName, type };
    const same = sameColumn([name, suggestedName], columns);
    if (!same || taken.has(same.name)) return { kind: 'out' };
    taken.add(same.name);
    return { kind: 'column', name: same.name };
  });
}

function sameColumn(names: readonly string[], columns: readonly DataColumn[]): DataColumn | undefined {
  const folded = names.map((name) => name.toLowerCase());
  return (
    columns.find(({ name }) => names.includes(name)) ?? columns.find(({ name }) => folded.includes(name.toLowerCase()))
  );
}

export function takenOf(goals: readonly Goal[]): Taken[] {
  return goals.flatMap((goal, place) => {
    if (goal.kind === 'out') return [];
    return goal.kind === 'column' ? [{ place, name: goal.name }] : [{ place, name: goal.name.trim(), type: goal.type }];
  });
}

/** What keeps the goal at a place from being taken; empty: nothing. */
export function problemAt(goals: readonly Goal[], place: number, columns: readonly DataColumn[] | undefined): string {
  const goal = goals[place];
  if (!goal || goal.kind === 'out') return '';
  const name = goal.name.trim();
  const others = goals.filter((other, at) => at !== place && other.kind !== 'out');
  if (others.some((other) => other.kind !== 'out' && other.name.trim() === name)) return t('Two columns go here.');
  if (goal.kind === 'column') return '';
  if (!NAME.test(name)) return t('A name begins with a letter and has letters, digits and _.');
  if (SYSTEM.has(name)) return t('Every table has this column itself.');
  return columns?.some((column) => column.name === name) ? t('The table has this column. Choose it above.') : '';
}
