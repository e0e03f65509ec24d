import { expect, test } from 'vitest';
import { branches, type Folder, pathOf, within } from './folders';

function folder(id: string, parentId: string | null): Folder {
  return { id, name: id.toUpperCase(), parentId, workflowCount: 0, createdAt: '', updatedAt: '' };
}

const FOLDERS = [folder('a', null), folder('b', 'c'), folder('c', null), folder('d', 'b'), folder('lost', 'gone')];

test('folders stand below their parents, depth first', () => {
  const shown = branches(FOLDERS).map((branch) => `${branch.level}${branch.folder.id}`);
  expect(shown).toEqual(['0a', '0c', '1b', '2d', '0lost']);
});

test('a path leads from the top', () => {
  expect(pathOf(FOLDERS, 'd')).toBe('C / B / D');
  expect(pathOf(FOLDERS, null)).toBe('');
});

test('a folder cannot be moved into what it holds', () => {
  expect([...within(FOLDERS, 'c')]).toEqual(['c', 'b', 'd']);
});
