import { expect, it } from 'vitest';
import { heldWords } from './model';

it('says how much a project has', () => {
  expect(heldWords({ workflow: 3, credential: 1, 'data-table': 2 })).toBe('3 workflows, 1 credential, 2 data tables');
  expect(heldWords({})).toBe('');
});
