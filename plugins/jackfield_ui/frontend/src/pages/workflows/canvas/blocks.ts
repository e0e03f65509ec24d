/** The Markdown of notes, as data: what is not understood stays the text that it is. Pure. */

export type Inline =
  | { kind: 'text' | 'code'; text: string }
  | { kind: 'bold' | 'italic' | 'struck'; parts: Inline[] }
  | { kind: 'link'; href: string; parts: Inline[] };

export type Block =
  | { kind: 'heading'; level: number; parts: Inline[] }
  | { kind: 'paragraph' | 'quote'; parts: Inline[] }
  | { kind: 'item'; mark: string; depth: number; parts: Inline[] }
  | { kind: 'code'; text: string }
  | { kind: 'rule' };

/** Characters; what is beyond stays plain. */
const LONGEST = 20_000;
const DEEPEST = 6;
const MARKS =
  /(`+)([^`]+)\1|\*\*([^\s*][^*]*)\*\*|__([^\s_][^_]*)__|~~([^~]+)~~|\*([^\s*][^*]*)\*|(?<![\p{L}\p{N}_])_([^\s_][^_]*)_(?![\p{L}\p{N}_])|!?\[([^[\]]*)\]\(\s*<?([^\s()<>]+(?:\([^\s()]*\)[^\s()<>]*)?)>?(?:\s+"[^"]*")?\s*\)|(https?:\/\/[^\s<>()[\]]+[^\s<>()[\].,;:!?"'*_])/gu;

export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  let text: string[] = [];
  let code: string[] | undefined;
  const flush = () => {
    if (text.length) blocks.push({ kind: 'paragraph', parts: inlineOf(text.join('\n')) });
    text = [];
  };
  for (const line of markdown.slice(0, LONGEST).split(/\r?\n/)) {
    const fence = /^\s{0,3}```/.test(line);
    if (code) {
      if (fence) {
        blocks.push({ kind: 'code', text: code.join('\n') });
        code = undefined;
      } else code.push(line);
      continue;
    }
    const found = fence ? undefined : blockOf(line);
    if (!found && !fence && line.trim()) {
      text.push(line);
      continue;
    }
    flush();
    if (fence) code = [];
    else if (found) blocks.push(found);
  }
  flush();
  if (code) blocks.push({ kind: 'code', text: code.join('\n') });
  const rest = markdown.slice(LONGEST);
  return rest ? [...blocks, { kind: 'paragraph', parts: [{ kind: 'text', text: rest }] }] : blocks;
}

/** What a line is by itself; undefined for a part of a paragraph. */
function blockOf(line: string): Block | undefined {
  const heading = /^\s{0,3}(#{1,6})\s+(.*?)\s*#*$/.exec(line);
  if (heading) return { kind: 'heading', level: heading[1]?.length ?? 1, parts: inlineOf(heading[2] ?? '') };
  if (/^\s{0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/.test(line)) return { kind: 'rule' };
  const item = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/.exec(line);
  if (item) {
    const [, indent = '', sign = '', rest = ''] = item;
    const depth = Math.min(Math.floor(indent.replaceAll('\t', '    ').length / 2), 4);
    return { kind: 'item', mark: /\d/.test(sign) ? sign : '•', depth, parts: inlineOf(rest) };
  }
  const quote = /^\s{0,3}>\s?(.*)$/.exec(line);
  return quote ? { kind: 'quote', parts: inlineOf(quote[1] ?? '') } : undefined;
}

export function inlineOf(text: string, depth = 0): Inline[] {
  if (depth > DEEPEST) return [{ kind: 'text', text }];
  const parts: Inline[] = [];
  let from = 0;
  for (const match of text.matchAll(MARKS)) {
    const [whole, , code, bold, bold2, struck, italic, italic2, label, href, address] = match;
    if (match.index > from) parts.push({ kind: 'text', text: text.slice(from, match.index) });
    from = match.index + whole.length;
    const inner = (given: string) => inlineOf(given, depth + 1);
    const strong = bold ?? bold2;
    const leaning = italic ?? italic2;
    const target = safeHref(href ?? address);
    if (code !== undefined) parts.push({ kind: 'code', text: code });
    else if (strong !== undefined) parts.push({ kind: 'bold', parts: inner(strong) });
    else if (struck !== undefined) parts.push({ kind: 'struck', parts: inner(struck) });
    else if (leaning !== undefined) parts.push({ kind: 'italic', parts: inner(leaning) });
    else if (target === undefined) parts.push({ kind: 'text', text: whole });
    else if (address !== undefined)
      parts.push({ kind: 'link', href: target, parts: [{ kind: 'text', text: address }] });
    else parts.push({ kind: 'link', href: target, parts: [{ kind: 'text', text: label || target }] });
  }
  if (from < text.length) parts.push({ kind: 'text', text: text.slice(from) });
  return parts;
}

/** Addresses of the web and of mail; undefined for all others, javascript: above all. */
export function safeHref(address: string | undefined): string | undefined {
  if (!address || !/^(?:https?:\/\/|mailto:)/i.test(address)) return undefined;
  try {
    const { protocol, href } = new URL(address);
    return ['http:', 'https:', 'mailto:'].includes(protocol) ? href : undefined;
  } catch {
    return undefined;
  }
}
