/** Where a node's help is: a page of the documentation here, perhaps with its place on it, or a plugin's https address. */
export function helpAddress(place: string): string {
  return place.startsWith('https://') ? place : `/ui/help/${place}`;
}
