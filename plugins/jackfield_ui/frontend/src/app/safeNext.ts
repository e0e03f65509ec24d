/** Where to go after the login: only within this UI. */
export function safeNext(next: string | null, origin: string): string {
  if (!next || /[\\\p{Cc}]/u.test(next) || next.includes('//')) return '/';
  if (next !== '/' && !next.startsWith('/ui/')) return '/';
  const url = new URL(next, origin);
  const inside = url.origin === origin && (url.pathname === '/' || url.pathname.startsWith('/ui/'));
  return inside ? url.pathname + url.search + url.hash : '/';
}
