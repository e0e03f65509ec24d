/** How a file of an item is read and shown. What is shown gets a type of this list, whatever it says of itself. */
import { segment } from '../../api/client';
import type { OutputPlace } from '../useMoreItems';

/** `text`: everything that is read, HTML and scripts included, as it is written. */
export type NodeType = 'image' | 'audio' | 'video' | 'pdf' | 'json' | 'text' | 'other';

const IMAGES = new Set(['png', 'jpeg', 'gif', 'webp', 'avif', 'bmp', 'svg+xml', 'x-icon', 'vnd.microsoft.icon']);
const TEXTS = /^application\/(x?html|xml|yaml|x-yaml|toml|sql|javascript|x-sh|x-ndjson|rtf|csv)|\+xml$|\+yaml$/;

export function kindOf(type: string): NodeType {
  const plain = (type.split(';')[0] ?? '').trim().toLowerCase();
  const [group = '', name = ''] = plain.split('/');
  if (group === 'image' && IMAGES.has(name)) return 'image';
  if (group === 'audio' || group === 'video') return group;
  if (plain === 'application/pdf') return 'pdf';
  if (plain === 'application/json' || name.endsWith('+json')) return 'json';
  return group === 'text' || TEXTS.test(plain) ? 'text' : 'other';
}

/** Bytes up to which a file is shown. */
export const MOST_SHOWN = 64 * 1024 * 1024;

export function fileAddress({ execution, run, output }: OutputPlace, item: number, name: string): string {
  const query = new URLSearchParams({ run: String(run), output: String(output), item: String(item), name });
  return `/api/v1/executions/${segment(execution)}/file?${query}`;
}

/** The bytes of base64, which may be of the kind for addresses. Throws for what is none. */
export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}

/** Where readers look for its mark, in bytes from the beginning. */
const PDF_HEAD = 1024;

/** Whether a viewer will find a PDF in it. */
export async function isPdf(blob: Blob): Promise<boolean> {
  return (await blob.slice(0, PDF_HEAD).text()).includes('%PDF-');
}
