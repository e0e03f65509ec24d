/**
 * Characters that nobody sees, or that turn the order of others: controls, but for ends of lines and tabs, and marks of
 * formatting. Whoever decides about a text must not be shown another one.
 */
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** The text with them written out, such as `\u202e`. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (one) => `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
}

/** What an agent wants to do, for whoever decides about it. */
export function visibleInput(input: unknown): string {
  return visible(typeof input === 'string' ? input : JSON.stringify(input, null, 2));
}
