import { expect, test } from 'vitest';
import { readable, stateLabel } from './readable';

test.each([
  ['retryOnFail', 'Retry on fail'],
  ['retry_on_fail', 'Retry on fail'],
  ['page2Size', 'Page2 size'],
  ['', ''],
])('%s is read as %s', (name, label) => expect(readable(name)).toBe(label));

test('a state keeps its letters', () => expect(stateLabel('in_TLS_handshake')).toBe('In TLS handshake'));
