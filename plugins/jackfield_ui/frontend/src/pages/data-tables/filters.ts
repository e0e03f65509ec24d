import { t } from '../../language/messages';
import type { ColumnType } from './queries';

export const OPERATORS = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'ilike', 'like', 'isEmpty', 'isNotEmpty'] as const;
export type Operator = (typeof OPERATORS)[number];

export const OPERATOR_LABELS: Record<Operator, string> = {
  eq: 'is',
  neq: t('is not'),
  gt: t('is greater than'),
  gte: t('is at least'),
  lt: t('is less than'),
  lte: t('is at most'),
  ilike: t('contains, in any case'),
  like: 'contains',
  isEmpty: t('is empty'),
  isNotEmpty: t('is not empty'),
};

export interface RowCondition {
  column: string;
  operator: Operator;
  value: string;
}

/** Which rows are shown, and in which order. */
export interface View {
  sorting: { column: string; descending: boolean } | undefined;
  search: string;
  conditions: readonly RowCondition[];
  join: 'and' | 'or';
}

export const EVERYTHING: View = { sorting: undefined, search: '', conditions: [], join: 'and' };

/** Those that mean something for a column of this type. */
export function operatorsOf(type: ColumnType): readonly Operator[] {
  if (type === 'string') return OPERATORS;
  if (type === 'boolean') return ['eq', 'neq', 'isEmpty', 'isNotEmpty'];
  return OPERATORS.filter((each) => each !== 'like' && each !== 'ilike');
}

export const takesValue = (operator: Operator) => operator !== 'isEmpty' && operator !== 'isNotEmpty';

/** The daemon's filter; undefined: there is none. Conditions without the value that they need are not complete yet. */
export function filterText(conditions: readonly RowCondition[], join: 'and' | 'or'): string | undefined {
  const filters = conditions
    .filter(({ operator, value }) => !takesValue(operator) || value !== '')
    .map(({ column, operator, value }) => ({
      columnName: column,
      condition: operator,
      ...(takesValue(operator) && { value }),
    }));
  return filters.length ? JSON.stringify({ type: join, filters }) : undefined;
}
