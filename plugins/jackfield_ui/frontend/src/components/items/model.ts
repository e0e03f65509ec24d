export type View = 'table' | 'json' | 'schema' | 'files';

/** A file of an item, as the item names it. */
export interface ItemFile {
  /** Its key under `binary`. */
  key: string;
  name: string;
  type: string;
  /** In bytes; undefined: the item does not say. */
  size: number | undefined;
  /** Its content in base64, where the item has it. */
  data: string;
}
