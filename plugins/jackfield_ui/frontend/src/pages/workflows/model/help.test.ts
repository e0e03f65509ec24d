import { expect, test } from 'vitest';
import { helpAddress } from './help';

test("help is the node's page here, or an https address out", () => {
  expect(helpAddress('webhook', 'webhooks#the-node')).toBe('/ui/help/nodes/webhook');
  expect(helpAddress('@acme/n8n-nodes-acme.acme', '')).toBe('/ui/help/nodes/%40acme/n8n-nodes-acme.acme');
  expect(helpAddress('acme', 'https://example.com/nodes')).toBe('https://example.com/nodes');
  expect(helpAddress('acme', 'javascript:alert(1)')).toBe('/ui/help/nodes/acme');
});
