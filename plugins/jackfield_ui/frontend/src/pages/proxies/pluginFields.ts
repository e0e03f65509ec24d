/** A plugin's condition as text: what it asks for, only the plugin knows. Pure. */

import { isRecord, messageOf } from '../../api/errors';
import { t } from '../../language/messages';
import type { Condition } from './model';

/** Text that is no JSON yet, kept beside the condition that was last understood. No part of what is stored. */
export const UNREAD = Symbol('unread');

type Held = Condition & { [UNREAD]?: string };

export function textOf(condition: Condition): string {
  const { type: _, [UNREAD]: unread, ...fields } = condition as Held;
  return unread ?? JSON.stringify(fields, null, 2);
}

/** The condition with these fields; its type stays, whatever they say. */
export function withText(condition: Condition, text: string): Condition {
  try {
    const given: unknown = JSON.parse(text);
    if (isRecord(given)) return { ...given, type: condition.type };
  } catch {
    // Told by problemOf.
  }
  return { ...condition, [UNREAD]: text };
}

export function problemOf(condition: Condition): string | undefined {
  const text = (condition as Held)[UNREAD];
  if (text === undefined) return undefined;
  try {
    JSON.parse(text);
    return t('Enter an object: {example}', { example: '{ ... }' });
  } catch (failure) {
    return messageOf(failure);
  }
}

/** Whether a condition, or one within it, has text that is no JSON yet. */
export function isUnread(condition: Condition): boolean {
  const { condition: one, conditions: several = [] } = condition as Held & {
    condition?: Condition;
    conditions?: Condition[];
  };
  return (condition as Held)[UNREAD] !== undefined || [...several, ...(one ? [one] : [])].some(isUnread);
}
