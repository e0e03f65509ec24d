/** A field of the input pane on its way into a parameter. */
import type { DragEvent } from 'react';
import { isRecord } from '../../../api/errors';

const FIELD_DRAG = 'application/x-jackfield-field';

export interface DraggedField {
  /** `{{ $json.name }}` */
  expression: string;
  name: string;
  /** As assignments and conditions name types. */
  type: string;
}

const TYPES: Readonly<Record<string, string>> = { list: 'array', null: 'string' };

/** type: as the input pane names it. */
export function drag(event: DragEvent, expression: string, name: string, type: string): void {
  const field: DraggedField = { expression, name, type: TYPES[type] ?? type };
  event.dataTransfer.setData(FIELD_DRAG, JSON.stringify(field));
  event.dataTransfer.setData('text/plain', expression);
  event.dataTransfer.effectAllowed = 'copy';
}

export function isDragged(event: DragEvent): boolean {
  return event.dataTransfer.types.includes(FIELD_DRAG);
}

export function draggedIn(event: DragEvent): DraggedField | undefined {
  const text = event.dataTransfer.getData(FIELD_DRAG);
  if (!text) return undefined;
  const found: unknown = JSON.parse(text);
  return isRecord(found) ? (found as unknown as DraggedField) : undefined;
}
