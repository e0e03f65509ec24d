import { describe, expect, it } from 'vitest';
import { ranked } from './ranking';

const item = (label: string, more = '') => ({ id: label, label, words: `${label} ${more}` });
const labels = (query: string, items: ReturnType<typeof item>[], recent: string[] = []) =>
  ranked(query, items, recent, 9).map(({ label }) => label);

describe('the command palette', () => {
  const items = [
    item('Profiles'),
    item('Add a provider'),
    item('pro', 'Workflow'),
    item('My proxy', 'Workflow'),
    item('Improve', 'Workflow'),
  ];

  it('has the same name first, then its beginnings, words, and loose matches', () => {
    expect(labels('pro', items)).toEqual(['pro', 'Profiles', 'My proxy', 'Add a provider', 'Improve']);
    expect(labels('PRO ', items)[0]).toBe('pro');
    expect(labels('xyz', items)).toEqual([]);
  });

  it('has what was chosen before in front of equals and of loose matches, not of the same name', () => {
    expect(labels('pro', items, ['Add a provider'])).toEqual([
      'pro',
      'Profiles',
      'Add a provider',
      'My proxy',
      'Improve',
    ]);
    expect(labels('', items, ['Improve', 'Profiles']).slice(0, 2)).toEqual(['Improve', 'Profiles']);
  });
});
