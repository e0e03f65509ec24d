import { describe, expect, it } from 'vitest';
import { changesOf, outdated, unchanged } from './edits';

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
  it('leave the other fields to follow what is stored', () => {
    const now = { model: 'huge', args: '' };
    expect(unchanged({ model: 'small', args: '-v' }, STORED, now)).toEqual({ args: '' });
    expect(unchanged({ model: 'huge', args: '-x' }, STORED, now)).toEqual({ model: 'huge' });
    expect(unchanged(STORED, STORED, STORED)).toEqual({});
  });
});
