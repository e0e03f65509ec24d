/** A name of code as a label: `retryOnFail` and `retry_on_fail` are "Retry on fail". */
export function readable(name: string): string {
  return capitalized(spaced(name.replace(/([a-z0-9])([A-Z])/g, '$1 $2')).toLowerCase());
}

/** A state as the daemon names it: `not_ready` is "Not ready"; its letters stay as they are. */
export function stateLabel(state: string): string {
  return capitalized(spaced(state));
}

function spaced(name: string): string {
  return name.replaceAll('_', ' ');
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
