import { expect, it } from 'vitest';
import type { Placement, Project } from './queries';
import { allows } from './rights';

const project = (id: string, role: Project['role']): Project => ({
  id,
  name: id,
  kind: 'team',
  isOpen: false,
  role,
  createdAt: '',
  updatedAt: '',
});
const MINE = [project('seen', 'project:viewer'), project('edited', 'project:editor'), project('led', 'project:admin')];
const at = (projectId: string, ...sharedWith: string[]): Placement => ({
  kind: 'workflow',
  id: 'w',
  projectId,
  sharedWith,
});

it('lets editors change and only administrators move', () => {
  const rights = (placement: Placement) =>
    (['start', 'write', 'admin'] as const).map((right) => allows(placement, MINE, right));
  expect(rights(at('seen'))).toEqual([false, false, false]);
  expect(rights(at('edited'))).toEqual([true, true, false]);
  expect(rights(at('led'))).toEqual([true, true, true]);
});

it('lets a shared thing be run, and not changed', () => {
  const shared = at('elsewhere', 'edited');
  expect(allows(shared, MINE, 'start')).toBe(true);
  expect(allows(shared, MINE, 'write')).toBe(false);
  expect(allows(at('elsewhere', 'seen'), MINE, 'start')).toBe(false);
});
