import { expect, test } from 'vitest';
import { helpAddress } from './help';

test('help is a page here, or an https address out', () => {
  expect(helpAddress('webhooks#the-node')).toBe('/ui/help/webhooks#the-node');
  expect(helpAddress('https://example.com/nodes')).toBe('https://example.com/nodes');
  expect(helpAddress('javascript:alert(1)')).toBe('/ui/help/javascript:alert(1)');
});
