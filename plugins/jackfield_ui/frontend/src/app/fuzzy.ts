/**
 * How well `query` fits `text`: 0 is not at all. Every letter must occur in order; words' beginnings and letters
 * that stand together count more, a shorter text wins among equals.
 */
export function fuzzy(query: string, text: string): number {
  const wanted = query.trim().toLowerCase();
  const given = text.toLowerCase();
  if (!wanted) return 1;
  const whole = given.indexOf(wanted);
  if (whole >= 0) return 1000 - whole - given.length / 100 + (startsWord(given, whole) ? 500 : 0);
  let score = 0;
  let at = -1;
  for (const letter of wanted.replaceAll(' ', '')) {
    const next = given.indexOf(letter, at + 1);
    if (next < 0) return 0;
    score += next === at + 1 ? 5 : startsWord(given, next) ? 4 : 1;
    at = next;
  }
  return score / (1 + given.length / 100);
}

function startsWord(text: string, at: number): boolean {
  return at === 0 || !/[\p{L}\p{N}]/u.test(text.charAt(at - 1));
}
