/** What a workflow answers to a chat message: JSON or text at once, or chunks line by line, as Chat Trigger sends them. */

import { isRecord } from '../../../api/errors';
import { t } from '../../../language/messages';

/** The part of an answer that is for people: `output`, `text` or `message`, else all of it. */
export function answerText(answer: unknown): string {
  if (typeof answer === 'string') return answer;
  if (isRecord(answer)) {
    for (const name of ['output', 'text', 'message']) {
      const found = answer[name];
      if (typeof found === 'string') return found;
    }
  }
  return JSON.stringify(answer, null, 2);
}

/** Text that came at once: JSON where it is some. */
export function textOf(body: string): string {
  try {
    return answerText(JSON.parse(body));
  } catch {
    return body;
  }
}

export interface Said {
  /** Of which run of which node for which item: each has a message of its own. */
  from: string;
  text: string;
  failed: boolean;
}

/** Feed it the bytes as they come; it gives what was said in whole lines. */
export class ChunkReader {
  private readonly decoder = new TextDecoder();
  private rest = '';

  feed(bytes: Uint8Array): Said[] {
    this.rest += this.decoder.decode(bytes, { stream: true });
    const lines = this.rest.split('\n');
    this.rest = lines.pop() ?? '';
    return lines.flatMap(said);
  }

  close(): Said[] {
    const line = this.rest;
    this.rest = '';
    return said(line);
  }
}

function said(line: string): Said[] {
  let chunk: unknown;
  try {
    chunk = JSON.parse(line);
  } catch {
    return [];
  }
  if (!isRecord(chunk)) return [];
  const { type, content, metadata } = chunk;
  const at = isRecord(metadata) ? metadata : {};
  const from = JSON.stringify([at.nodeId, at.runIndex, at.itemIndex]);
  const text = typeof content === 'string' ? content : '';
  if (type === 'error') return [{ from: 'error', text: text || t('The workflow failed.'), failed: true }];
  return type === 'item' && text ? [{ from, text, failed: false }] : [];
}
