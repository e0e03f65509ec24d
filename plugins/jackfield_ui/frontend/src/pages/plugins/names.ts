/** `@acme/n8n-nodes-acme@1.2.0`: the name and the version, which may be missing. */
export function nameAndVersion(text: string): { name: string; version: string } {
  const at = text.indexOf('@', 1);
  return at < 0 ? { name: text, version: '' } : { name: text.slice(0, at), version: text.slice(at + 1) };
}
