/** Where a node's help is: its page here, or a plugin's https address. */
export function helpAddress(kind: string, place: string): string {
  return place.startsWith('https://') ? place : nodePage(kind);
}

/** The page of a node type. */
export function nodePage(kind: string): string {
  return `/ui/help/nodes/${kind.split('/').map(encodeURIComponent).join('/')}`;
}
