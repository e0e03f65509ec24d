/** What was chosen last in the command palette, the newest first. It stays in the browser. */
const KEY = 'jackfield.recent';
const MOST = 20;

export function recent(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter((one): one is string => typeof one === 'string').slice(0, MOST) : [];
  } catch {
    return [];
  }
}

export function remember(id: string): void {
  try {
    localStorage.setItem(KEY, JSON.stringify([id, ...recent().filter((one) => one !== id)].slice(0, MOST)));
  } catch {
    // The browser keeps nothing: the order is by name alone.
  }
}
