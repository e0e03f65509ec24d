import { expect, test } from 'vitest';
import { nameAndVersion } from './names';

test.each([
  ['n8n-nodes-acme', 'n8n-nodes-acme', ''],
  ['n8n-nodes-acme@1.2.0', 'n8n-nodes-acme', '1.2.0'],
  ['@acme/n8n-nodes-acme', '@acme/n8n-nodes-acme', ''],
  ['@acme/n8n-nodes-acme@^1.2', '@acme/n8n-nodes-acme', '^1.2'],
])('%s', (text, name, version) => {
  expect(nameAndVersion(text)).toEqual({ name, version });
});
