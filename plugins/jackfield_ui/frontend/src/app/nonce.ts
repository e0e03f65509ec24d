/** The nonce that the daemon puts into every page: what makes <style> elements at run time must carry it. */
export function styleNonce(): string {
  const meta = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]');
  return meta?.nonce ?? '';
}
