import { expect, it, vi } from 'vitest';
import { uuid } from './uuid';

it('makes UUIDs on pages without a secure context, too', () => {
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
  const made = Array.from({ length: 100 }, uuid);
  vi.unstubAllGlobals();
  for (const one of made) expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(made).size).toBe(100);
});
