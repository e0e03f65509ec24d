// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest';
import { addressOf, pathOf } from './address';

const node = (webhookId: unknown, id = 'id-1') => ({ name: 'Chat', type: 'chatTrigger', id, webhookId });

describe('the address of a chat', () => {
  it('is the id of the webhook, or of the node', () => {
    expect(pathOf(node('a.b~c-1'))).toBe('a.b~c-1');
    expect(pathOf(node(''))).toBe('id-1');
    expect(pathOf(node(undefined))).toBe('id-1');
  });

  it.each(['../api/v1/workflows', 'a/b', '..', '.', 'a?b', 'a#b', 'a%2fb', '\\x', 'ü', 'x'.repeat(201)])(
    'is never of another place: %s',
    (given) => {
      expect(pathOf(node(given))).toBeUndefined();
    },
  );

  it('names the workflow', () => {
    expect(addressOf('w/1', 'a').pathname).toBe('/api/v1/workflows/w%2F1/chat/a');
  });
});
