/** Marks of what a draft would do to nodes and wires of the canvas. Pure. */
import { t } from '../../../language/messages';
import type { Doc, Wire } from './document';

export type Mark = 'added' | 'changed' | 'removed';

export interface Overlay {
  /** What is drawn: everything that is there, and what would come. */
  doc: Doc;
  /** By the node's name. */
  nodes: ReadonlyMap<string, Mark>;
  /** By `wireKey`. */
  wires: ReadonlyMap<string, Mark>;
}

export const NO_MARKS: ReadonlyMap<string, Mark> = new Map();

export const MARK_WORDS: Readonly<Record<Mark, string>> = {
  added: t('Added'),
  changed: t('Changed'),
  removed: t('Removed'),
};

export const wireKey = (wire: Wire): string =>
  JSON.stringify([wire.source, wire.type, wire.output, wire.target, wire.targetType, wire.input]);
