/** A proxy's configuration while somebody edits it; pure. What is stored is made of it by `configOf`. */

import { isRecord } from '../../api/errors';
import { count } from '../../components/format';
import { t } from '../../language/messages';

export type Condition = { type: string; [name: string]: unknown };

export interface Rule {
  name: string;
  condition: Condition;
  target: string;
  priority: number;
  weight?: number;
  /** Only when the others have failed. */
  fallback?: boolean;
}

export interface Limits {
  max_concurrent: number;
  queue?: number;
  queue_timeout?: number;
}

export interface Budget {
  usd?: number;
  tokens?: number;
}

/** `key` tells rows apart while they are edited; it is not stored. */
export interface Draft {
  enabled: boolean;
  port: number | undefined;
  strategy: string;
  /** Seconds; undefined: conversations do not stay. */
  sticky: number | undefined;
  rules: (Rule & { key: number })[];
  aliases: { key: number; name: string; target: string }[];
  providers: { key: number; name: string; limits: Limits }[];
  day: Budget;
  month: Budget;
}

export type Errors = Readonly<Record<string, string>>;

const STICKY_SECONDS = 300;
let last = 0;
export const nextKey = () => ++last;

export function draftOf(config: unknown): Draft {
  const given = record(config);
  const routing = record(given.routing);
  const budgets = record(given.budgets);
  const rules = (Array.isArray(routing.rules) ? routing.rules : []).map(ruleOf);
  return {
    enabled: given.enabled !== false,
    port: number(given.port),
    strategy: typeof routing.strategy === 'string' ? routing.strategy : 'Conditional',
    sticky: stickyOf(routing.sticky),
    rules: rules.sort((one, other) => other.priority - one.priority),
    aliases: Object.entries(record(given.model_aliases)).map(([name, target]) => ({
      key: nextKey(),
      name,
      target: String(target),
    })),
    providers: Object.entries(record(given.providers)).map(([name, limits]) => ({
      key: nextKey(),
      name,
      limits: { max_concurrent: 1, ...record(limits) },
    })),
    day: record(budgets.day),
    month: record(budgets.month),
  };
}

function ruleOf(given: unknown): Rule & { key: number } {
  const rule = record(given);
  const condition = record(rule.condition);
  const weight = number(rule.weight);
  return {
    key: nextKey(),
    name: String(rule.name ?? ''),
    condition: { ...condition, type: String(condition.type ?? '') },
    target: String(rule.target ?? ''),
    priority: number(rule.priority) ?? 0,
    ...(weight === undefined ? {} : { weight }),
    ...(rule.fallback === true ? { fallback: true } : {}),
  };
}

/** What is stored. Names that stand twice, or not at all, cannot be: the last one counts. */
export function configOf(draft: Draft): Record<string, unknown> {
  const budgets = Object.fromEntries(
    Object.entries({ day: draft.day, month: draft.month }).filter(([, budget]) => Object.keys(budget).length > 0),
  );
  return {
    enabled: draft.enabled,
    port: draft.port ?? null,
    routing: {
      strategy: draft.strategy,
      rules: draft.rules.map(({ key: _, ...rule }) => rule),
      ...(draft.sticky === undefined ? {} : { sticky: { ttl: draft.sticky } }),
    },
    model_aliases: Object.fromEntries(draft.aliases.map(({ name, target }) => [name, target])),
    ...(draft.providers.length
      ? { providers: Object.fromEntries(draft.providers.map(({ name, limits }) => [name, limits])) }
      : {}),
    ...(Object.keys(budgets).length ? { budgets } : {}),
  };
}

function stickyOf(given: unknown): number | undefined {
  if (given === true) return STICKY_SECONDS;
  return isRecord(given) ? (number(given.ttl) ?? STICKY_SECONDS) : undefined;
}

function record(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** `provider/model` apart; a model's name may have slashes. */
export function targetParts(target: string): { provider: string; model: string } {
  const at = target.indexOf('/');
  return at < 0 ? { provider: target, model: '' } : { provider: target.slice(0, at), model: target.slice(at + 1) };
}

export interface ConditionType {
  type: string;
  label: string;
  /** As it begins. */
  initial: Omit<Condition, 'type'>;
}

export const KINDS: readonly ConditionType[] = [
  { type: 'always', label: t('Always'), initial: {} },
  { type: 'token_count', label: t('Length in tokens'), initial: { min: 60_000 } },
  { type: 'has_tools', label: t('Brings tools'), initial: { min_count: 1 } },
  { type: 'model_pattern', label: t('Model’s name'), initial: { pattern: 'claude-*' } },
  { type: 'path', label: t('Path'), initial: { pattern: '/v1/embeddings' } },
  { type: 'dialect', label: t('Client’s dialect'), initial: { equals: 'anthropic' } },
  { type: 'background', label: t('Asks for a small model'), initial: {} },
  { type: 'thinking', label: t('Asks for thinking'), initial: {} },
  { type: 'image', label: t('Has an image'), initial: {} },
  { type: 'web_search', label: t('Brings a web search'), initial: {} },
  { type: 'header', label: t('Header'), initial: { name: '', equals: '' } },
  { type: 'time', label: t('Time of day'), initial: { from: '08:00', to: '18:00' } },
  { type: 'script', label: t('Script'), initial: { path: '' } },
  { type: 'all', label: t('All of these'), initial: { conditions: [{ type: 'always' }] } },
  { type: 'any', label: t('Any of these'), initial: { conditions: [{ type: 'always' }] } },
  { type: 'not', label: t('Not this'), initial: { condition: { type: 'always' } } },
];

export function fresh(type: string): Condition {
  const initial = KINDS.find((kind) => kind.type === type)?.initial ?? {};
  return { ...structuredClone(initial), type };
}

export function inner(condition: Condition): Condition[] {
  return Array.isArray(condition.conditions) ? (condition.conditions as Condition[]) : [];
}

/** A condition in words. */
export function told(condition: Condition): string {
  const say = (value: unknown) => String(value ?? '');
  switch (condition.type) {
    case 'always':
      return t('every request');
    case 'token_count': {
      const [least, most] = [number(condition.min), number(condition.max)];
      if (least !== undefined && most !== undefined)
        return t('{least} to {most} tokens', { least: count(least), most: count(most) });
      if (least !== undefined) return t('at least {least} tokens', { least: count(least) });
      return most === undefined ? t('a length not set yet') : t('at most {most} tokens', { most: count(most) });
    }
    case 'has_tools': {
      const least = number(condition.min_count) ?? 1;
      return t('{least, plural, one {brings tools} other {brings # tools or more}}', { least });
    }
    case 'thinking':
    case 'thinking_mode':
      return t('asks for thinking');
    case 'image':
      return t('has an image');
    case 'web_search':
      return t('brings a web search');
    case 'background':
      return t('asks for a small model');
    case 'model_pattern':
      return t('model is {pattern}', { pattern: say(condition.pattern) });
    case 'path':
      return t('path is {pattern}', { pattern: say(condition.pattern) });
    case 'dialect':
      return t('client speaks {dialect}', { dialect: say(condition.equals) });
    case 'header':
      return t('header {name} is “{value}”', { name: say(condition.name), value: say(condition.equals) });
    case 'time':
      return t('from {begin} to {end}', { begin: say(condition.from), end: say(condition.to) });
    case 'script':
      return t('the script {path} decides', { path: say(condition.path) });
    case 'all':
      return inner(condition)
        .map(part)
        .join(` ${t('and')} `);
    case 'any':
      return inner(condition)
        .map(part)
        .join(` ${t('or')} `);
    case 'not':
      return isRecord(condition.condition)
        ? t('not: {condition}', { condition: part(condition.condition as Condition) })
        : t('not');
    default:
      return condition.type || t('not chosen yet');
  }
}

function part(condition: Condition): string {
  const several = (condition.type === 'all' || condition.type === 'any') && inner(condition).length > 1;
  return several ? `(${told(condition)})` : told(condition);
}

const PREFIX = 'proxy_config.';
const PATTERNS: readonly [RegExp, string][] = [
  [/\.target$|^model_aliases\./, t('Choose a provider and a model.')],
  [/\.(from|to)$/, t('Enter a time, such as 08:30.')],
  [/\.path$/, t('Enter a path below the folder scripts, such as night.rhai.')],
  [/\.name$/, t('This name has characters that are not allowed.')],
];

/** The server's errors by the path within the configuration; patterns said in words. */
export function fieldErrors(fields: Errors): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).map(([field, why]) => {
      const path = field.startsWith(PREFIX) ? field.slice(PREFIX.length) : field;
      const plain = why.includes('should match pattern')
        ? PATTERNS.find(([pattern]) => pattern.test(path))?.[1]
        : why.startsWith('String should have at least 1')
          ? t('This must not be empty.')
          : undefined;
      return [path, plain ?? why];
    }),
  );
}

/** Errors of a path itself and of what lies below. */
export function below(errors: Errors, path: string): boolean {
  return Object.keys(errors).some(
    (field) => field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`),
  );
}
