import { uuid } from '../../../api/uuid';
import { t } from '../../../language/messages';
import { emptyFilter } from '../form/conditions';

/** Groups of node types, in the order of the palette. */
export const GROUPS: readonly [string, string][] = [
  ['trigger', t('Triggers')],
  ['flow', t('Flow')],
  ['transform', t('Data')],
  ['code', t('Code and agents')],
  ['input', t('Files in')],
  ['output', t('Answers and files out')],
  ['network', t('Services')],
  ['ai', 'AI'],
];

/** What a new node begins with, where an empty form would not work or not be understood. */
export function firstParameters(kind: string): Record<string, unknown> {
  switch (kind) {
    case 'webhook':
      return { httpMethod: 'POST', path: uuid().slice(0, 13), options: {} };
    case 'set':
      return { assignments: { assignments: [] }, options: {} };
    case 'if':
    case 'filter':
      return { conditions: emptyFilter(), options: {} };
    case 'switch':
      return { rules: { values: [{ conditions: emptyFilter() }] }, options: {} };
    case 'scheduleTrigger':
      return { rule: { interval: [{ field: 'hours', hoursInterval: 1 }] } };
    case 'code':
      return { jsCode: 'return $input.all();' };
    case 'stickyNote':
      return { content: '', width: 240, height: 160 };
    default:
      return {};
  }
}

/** Two letters for what has no picture. */
export function monogram(name: string): string {
  const words = name
    .replace(/trigger$/i, '')
    .split(/[\s.@/-]+|(?<=[a-z])(?=[A-Z])/)
    .filter(Boolean);
  const [first = '?', second] = words;
  return (first.charAt(0).toUpperCase() + (second?.charAt(0).toUpperCase() ?? first.charAt(1).toLowerCase())).slice(
    0,
    2,
  );
}
