import { describe, expect, it } from 'vitest';
import { changesOf, outdated } from './edits';

const STORED = { model: 'large', args: '-v' };

describe('edits', () => {
  it('are what differs from what is stored', () => {
    expect(changesOf({ model: 'small', args: '-v' }, STORED)).toEqual({ model: 'small' });
  });
  it('are out of date when the same field was changed elsewhere to something else', () => {
    expect(outdated({ model: 'small' }, STORED, { ...STORED, model: 'huge' })).toBe(true);
  });
  it('stay when another field was changed, or the same one in the same way', () => {
    expect(outdated({ model: 'small' }, STORED, { ...STORED, args: '' })).toBe(false);
    expect(outdated({ model: 'small' }, STORED, { ...STORED, model: 'small' })).toBe(false);
  });
});
