/** What the forms of profiles hold, and what goes to the daemon. Pure. */

import type { Pair } from '../../components/KeyValueEditor';
import { t } from '../../language/messages';

const ALIAS = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

export function aliasProblem(alias: string): string | undefined {
  if (!alias) return t('Enter a name.');
  if (alias.length > 64) return t('At most 64 characters.');
  return ALIAS.test(alias) ? undefined : t('Letters, digits, _ and -; the first a letter or a digit.');
}

/** A free name made of the agent and the provider. */
export function proposedAlias(agent: string, provider: string, taken: readonly string[]): string {
  const base =
    `${agent}-${provider}`
      .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, 60) || 'profile';
  const known = new Set(taken.map((alias) => alias.toLowerCase()));
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (!known.has(name.toLowerCase())) return name;
  }
}

/** Whether an agent can use a provider by itself: one dialect, or a login of its own. */
export function fits(agent: { dialect: string | null } | undefined, provider: { type: string }): boolean {
  if (!agent?.dialect || provider.type === 'self') return true;
  const family: Record<string, string> = {
    anthropic: 'anthropic',
    'anthropic-compatible': 'anthropic',
    alpha: 'anthropic',
    'alpha-compatible': 'anthropic',
    openai: 'openai',
    'openai-compatible': 'openai',
    beta: 'openai',
    'beta-compatible': 'openai',
    gemini: 'gemini',
    'gemini-compatible': 'gemini',
  };
  const spoken = family[provider.type];
  return spoken === undefined || spoken === agent.dialect;
}

export function pairsOf(env: Readonly<Record<string, string>>): Pair[] {
  return Object.entries(env).map(([key, value]) => ({ key, value, secret: value === '***' }));
}

/** The variables, and what is wrong with a row. */
export function envOf(pairs: readonly Pair[]): { env: Record<string, string>; pairs: Pair[]; valid: boolean } {
  const env: Record<string, string> = {};
  let valid = true;
  const checked = pairs.map(({ error: _, ...pair }) => {
    const name = pair.key.trim();
    const problem = !name
      ? t('Enter a name.')
      : /[=\0]/.test(name)
        ? t('A name cannot contain “=”.')
        : Object.hasOwn(env, name)
          ? t('It already exists.')
          : undefined;
    if (problem) {
      valid = false;
      return { ...pair, error: problem };
    }
    Object.defineProperty(env, name, { value: pair.value, enumerable: true, configurable: true, writable: true });
    return pair;
  });
  return { env, pairs: checked, valid };
}
