/** What a control can show, and what a field begins with. Pure. */

import { isRecord } from '../../../api/errors';
import { t } from '../../../language/messages';
import { emptyFilter } from './conditions';
import type { Control, NodeField, Values } from './model';

export const isExpression = (value: unknown): value is string => typeof value === 'string' && value.startsWith('=');

/** Values of n8n's resource locators: {__rl, mode, value}. */
export function isLocator(value: unknown): value is { mode: string; value: unknown; [other: string]: unknown } {
  return isRecord(value) && value.__rl === true && 'value' in value;
}

const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);
const isRow = (value: unknown) => isRecord(value);
const isTextual = isScalar;
const isNumeric = (value: unknown) =>
  typeof value === 'number' || (typeof value === 'string' && (value === '' || Number.isFinite(Number(value))));

/** Whether a value that is neither missing nor null can be shown without losing any of it. */
const FITS: Readonly<Record<Control, (value: unknown, field: NodeField) => boolean>> = {
  text: isTextual,
  textarea: isTextual,
  code: (value) => typeof value === 'string',
  json: () => true,
  secret: isTextual,
  number: isNumeric,
  switch: (value) => typeof value === 'boolean' || value === '',
  select: isScalar,
  multiselect: (value) => isScalar(value) || (Array.isArray(value) && value.every(isScalar)),
  date: (value) => typeof value === 'string',
  color: (value) => typeof value === 'string',
  notice: () => true,
  hidden: () => true,
  collection: (value, { multiple }) => (multiple ? Array.isArray(value) && value.every(isRow) : isRecord(value)),
  fixedCollection: (value, field) =>
    isRecord(value) && (field.groups ?? []).every(({ name }) => groupFits(value[name], field.multiple)),
  locator: (value) => isTextual(value) || (isLocator(value) && (isTextual(value.value) || !value.value)),
  assignments: (value) => listFits(isRecord(value) ? value.assignments : value),
  filter: (value) => isRecord(value) && listFits(value.conditions),
  mapper: (value) => isRecord(value) && !isLocator(value),
  credential: (value) => typeof value === 'string',
  workflow: (value) => isTextual(value) || (isLocator(value) && (isTextual(value.value) || !value.value)),
};

function groupFits(value: unknown, multiple = false): boolean {
  if (value === undefined) return true;
  return multiple ? Array.isArray(value) && value.every(isRow) : isRecord(value);
}

function listFits(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.every(isRow));
}

/** Controls that show a list of values by themselves. */
const LISTS: ReadonlySet<Control> = new Set(['collection', 'fixedCollection', 'multiselect', 'json']);
/** Controls that hold other fields: those have the expressions. */
const CONTAINERS: ReadonlySet<Control> = new Set(['collection', 'fixedCollection', 'assignments', 'filter', 'mapper']);
/** Controls into which no text can be typed, or only some. */
const TEXTLESS: ReadonlySet<Control> = new Set(['number', 'date', 'switch', 'select', 'multiselect', 'credential']);
/** Controls whose text may begin with "=" without being an expression. */
const WRITTEN: ReadonlySet<Control> = new Set(['text', 'textarea', 'code', 'json', 'secret']);

/** A control of text, into which braces can be typed. */
export function isWritten({ control }: NodeField): boolean {
  return WRITTEN.has(control);
}

/** A control that swallows braces, or makes nothing of them. */
export function takesNoText({ control, load }: NodeField): boolean {
  return TEXTLESS.has(control) && !load;
}

export function isContainer({ control }: NodeField): boolean {
  return CONTAINERS.has(control);
}

/** A field of several values that are typed one by one. */
export function isList({ control, multiple }: NodeField): boolean {
  return multiple === true && !LISTS.has(control);
}

export function canShow(field: NodeField, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (isList(field) && Array.isArray(value)) return value.every(isScalar);
  return FITS[field.control](value, field);
}

/** A field that takes none may still hold one, of another program; it is shown as such where a plain text could not be. */
export function holdsExpression(field: NodeField, value: unknown): boolean {
  const inner = isLocator(value) ? value.value : value;
  return isExpression(inner) && (field.expression !== false || !WRITTEN.has(field.control));
}

/** In place of an emptied text: nothing, so that the default holds, unless that would bring another text back. */
export function emptied({ default: given }: NodeField): string | undefined {
  return given === undefined || given === null || given === '' ? undefined : '';
}

/** What is written as a number stays one. */
export function likeBefore(text: string, before: unknown): string | number {
  return typeof before === 'number' && text !== '' && String(Number(text)) === text ? Number(text) : text;
}

/** What a field holds when somebody adds it. */
export function initialOf(field: NodeField): unknown {
  if (field.default !== undefined && field.default !== null) return field.default;
  if (isList(field)) return [];
  switch (field.control) {
    case 'switch':
      return false;
    case 'number':
      return field.options?.min ?? 0;
    case 'select':
      return field.choices?.[0]?.value ?? '';
    case 'multiselect':
      return [];
    case 'collection':
      return field.multiple ? [] : {};
    case 'json':
    case 'fixedCollection':
      return {};
    case 'assignments':
      return { assignments: [] };
    case 'filter':
      return emptyFilter();
    case 'mapper':
      return { mappingMode: 'defineBelow', value: {}, matchingColumns: [], schema: [] };
    case 'locator':
    case 'workflow':
      return { __rl: true, mode: modesOf(field)[0]?.name ?? 'list', value: '' };
    default:
      return '';
  }
}

/** A new row of fields: only what has a default, or cannot be left out. */
export function initialRow(fields: readonly NodeField[]): Values {
  return Object.fromEntries(
    fields.flatMap((field) =>
      (field.default !== undefined && field.default !== null) || field.control === 'filter'
        ? [[field.name, initialOf(field)] as const]
        : [],
    ),
  );
}

export interface LocatorMode {
  name: string;
  label: string;
  placeholder: string;
}

const USUAL: Readonly<Record<string, string>> = {
  list: t('From list'),
  id: t('By ID'),
  url: t('By URL'),
  name: t('By name'),
};

/** The ways to say which thing is meant. */
export function modesOf({ options, load, control }: NodeField): LocatorMode[] {
  const given: unknown[] = Array.isArray(options?.modes) ? options.modes : [];
  const modes = given.flatMap((one) => {
    if (typeof one === 'string') return [{ name: one, label: USUAL[one] ?? one, placeholder: '' }];
    if (!isRecord(one) || typeof one.name !== 'string') return [];
    const label = typeof one.label === 'string' ? one.label : (USUAL[one.name] ?? one.name);
    return [{ name: one.name, label, placeholder: typeof one.placeholder === 'string' ? one.placeholder : '' }];
  });
  if (modes.length) return modes;
  const names = load || control === 'workflow' ? ['list', 'id'] : ['id'];
  return names.map((name) => ({ name, label: USUAL[name] ?? name, placeholder: '' }));
}

/** With or without the key: undefined leaves it out. */
export function withKey(values: Values, name: string, value: unknown): Values {
  if (value !== undefined) return { ...values, [name]: value };
  const { [name]: _, ...others } = values;
  return others;
}
