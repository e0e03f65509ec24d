const MOST = 400;

/** The first line of a text, and not too much of it. */
export function brief(text: string): string {
  const end = text.indexOf('\n');
  const line = end < 0 ? text : text.slice(0, end);
  return line.length > MOST ? `${line.slice(0, MOST)}…` : end < 0 ? line : `${line} …`;
}
