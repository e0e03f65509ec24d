/** Addresses of the web and of mail; undefined for all others, javascript: above all. */
export function safeHref(address: string | null | undefined): string | undefined {
  if (!address || !/^(?:https?:\/\/|mailto:)/i.test(address)) return undefined;
  try {
    const { protocol, href } = new URL(address);
    return ['http:', 'https:', 'mailto:'].includes(protocol) ? href : undefined;
  } catch {
    return undefined;
  }
}
