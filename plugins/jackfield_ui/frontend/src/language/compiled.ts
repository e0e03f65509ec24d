import type { CompiledMessage } from '@lingui/message-utils/compileMessage';

/**
 * A message of the source, as Lingui wants it. English is its own catalogue, so it is compiled here: placeholders and
 * plural forms, which is all that our messages have. Other languages are compiled by the build.
 */
export function compiled(message: string): CompiledMessage {
  if (!message.includes('{')) return [message];
  let at = 0;
  const until = (signs: string) => {
    const from = at;
    while (at < message.length && !signs.includes(message.charAt(at))) at += 1;
    return message.slice(from, at).trim();
  };
  const forms = () => {
    const found: Record<string, CompiledMessage> = {};
    for (let form = until('{}'); form; form = until('{}')) {
      at += 1;
      found[form] = tokens('{}#');
      at += 1;
    }
    return found;
  };
  const placeholder = () => {
    const name = until(',}');
    if (message[at] === '}') return [name] as const;
    at += 1;
    const kind = until(',');
    at += 1;
    return [name, kind, forms()] as const;
  };
  const tokens = (signs: string): CompiledMessage => {
    const found: unknown[] = [];
    while (at < message.length) {
      const from = at;
      while (at < message.length && !signs.includes(message.charAt(at))) at += 1;
      if (at > from) found.push(message.slice(from, at));
      if (message[at] === '}' || at >= message.length) break;
      at += 1;
      if (message[at - 1] === '#') found.push('#');
      else {
        found.push(placeholder());
        at += 1;
      }
    }
    return found as CompiledMessage;
  };
  return tokens('{');
}
