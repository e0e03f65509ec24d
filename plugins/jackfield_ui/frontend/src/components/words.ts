/** A line as words, as a shell takes it apart: quotes and backslashes, and nothing else. */
export function words(line: string): string[] {
  const found: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const sign = line.charAt(at);
    if (quote) {
      if (sign === quote) quote = '';
      else if (sign === '\\' && quote === '"' && /["\\]/.test(line.charAt(at + 1))) {
        at += 1;
        word += line.charAt(at);
      } else word += sign;
    } else if (sign === '"' || sign === "'") {
      quote = sign;
      word ??= '';
    } else if (sign === '\\' && at + 1 < line.length) {
      at += 1;
      word = (word ?? '') + line.charAt(at);
    } else if (/\s/.test(sign)) {
      if (word !== undefined) found.push(word);
      word = undefined;
    } else word = (word ?? '') + sign;
  }
  if (word !== undefined) found.push(word);
  return found;
}

/** The same words as a line. */
export function line(args: readonly string[]): string {
  return args.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');
}
