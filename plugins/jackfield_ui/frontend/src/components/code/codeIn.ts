/** Where a template has code. start and end: of the whole `{{ ... }}`. */
export interface CodePlace {
  start: number;
  end: number;
  /** Whether its braces are closed. */
  closed: boolean;
}

const OPENS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Braces of objects, texts and comments inside of the code do not end it, as the daemon reads it. */
export function codeIn(template: string): CodePlace[] {
  const places: CodePlace[] = [];
  let position = 0;
  for (;;) {
    const start = template.indexOf('{{', position);
    if (start < 0) return places;
    if (template[start - 1] === '\\') {
      position = start + 2;
      continue;
    }
    const found = endOf(template, start + 2);
    const end = found ?? plainEnd(template, start + 2);
    places.push({ start, end: end === undefined ? template.length : end + 2, closed: end !== undefined });
    position = end === undefined ? template.length : end + 2;
  }
}

/** Of code that cannot be read to its end. */
function plainEnd(template: string, from: number): number | undefined {
  const end = template.indexOf('}}', from);
  return end < 0 ? undefined : end;
}

/** undefined: nothing ends it, or it is no code. */
function endOf(template: string, from: number): number | undefined {
  const open: string[] = [];
  let at = from;
  while (at < template.length) {
    const sign = template[at] as string;
    if (!open.length && template.startsWith('}}', at)) return at;
    if (sign === '`' || (sign === '}' && open.at(-1) === '${')) {
      if (sign === '}') open.pop();
      const next = pastTemplate(template, at + 1);
      if (next === undefined) return undefined;
      if (template[next - 1] === '{') open.push('${');
      at = next;
      continue;
    }
    if (sign === '"' || sign === "'") {
      const next = pastText(template, at, sign);
      if (next === undefined) return undefined;
      at = next;
      continue;
    }
    if (sign in OPENS) open.push(sign);
    else if (sign === ')' || sign === ']' || sign === '}') {
      if (OPENS[open.pop() ?? ''] !== sign) return undefined;
    }
    at += 1;
  }
  return undefined;
}

function pastText(template: string, start: number, quote: string): number | undefined {
  for (let at = start + 1; at < template.length; at += 1) {
    if (template[at] === '\\') at += 1;
    else if (template[at] === quote) return at + 1;
    else if (template[at] === '\n') return undefined;
  }
  return undefined;
}

/** Behind its end, or behind the next `${`. */
function pastTemplate(template: string, from: number): number | undefined {
  for (let at = from; at < template.length; at += 1) {
    if (template[at] === '\\') at += 1;
    else if (template[at] === '`') return at + 1;
    else if (template.startsWith('${', at)) return at + 2;
  }
  return undefined;
}

/** The code around a position, from behind its opening braces up to the position; undefined in text. */
export function codeBefore(template: string, position: number): string | undefined {
  const place = codeIn(template).find(({ start, end, closed }) =>
    closed ? start + 2 <= position && position <= end - 2 : start + 2 <= position,
  );
  return place && template.slice(place.start + 2, position);
}
