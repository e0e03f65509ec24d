/** Folders as a tree, and what is done to them. */
import { useQuery } from '@tanstack/react-query';
import { api, body } from '../../../api/client';
import type { Schemas } from '../../../api/types';

export type Folder = Schemas['FolderShown'];

export interface Branch {
  folder: Folder;
  /** 0 at the top. */
  level: number;
}

export function useFolders() {
  return useQuery({
    queryKey: ['workflows', 'folders'],
    queryFn: async ({ signal }) => (await body(api.GET('/api/v1/folders', { signal }))).data,
  });
}

/** Depth first, each folder's own by name, as they come. One whose parent is missing stands at the top. */
export function branches(folders: readonly Folder[]): Branch[] {
  const known = new Set(folders.map(({ id }) => id));
  const below = (parent: string | null, level: number): Branch[] =>
    folders
      .filter(({ parentId }) => (parentId !== null && known.has(parentId) ? parentId : null) === parent)
      .flatMap((folder) => [{ folder, level }, ...below(folder.id, level + 1)]);
  return below(null, 0);
}

/** From the top to this one: `Sales / Invoices`. */
export function pathOf(folders: readonly Folder[], id: string | null | undefined): string {
  const names: string[] = [];
  let at = folders.find((folder) => folder.id === id);
  while (at && names.length < 100) {
    names.unshift(at.name);
    const parent: string | null = at.parentId;
    at = folders.find((folder) => folder.id === parent);
  }
  return names.join(' / ');
}

/** The folder and all that are in it: where it cannot be moved to. */
export function within(folders: readonly Folder[], id: string): ReadonlySet<string> {
  const found = new Set([id]);
  for (const { folder } of branches(folders)) {
    if (folder.parentId !== null && found.has(folder.parentId)) found.add(folder.id);
  }
  return found;
}

export function makeFolder(name: string, parentId: string | null) {
  return body(api.POST('/api/v1/folders', { body: { name, parentId } }));
}

export function changeFolder(id: string, change: { name?: string; parentId?: string | null }) {
  return body(api.PATCH('/api/v1/folders/{folder_id}', { params: { path: { folder_id: id } }, body: change }));
}

export function deleteFolder(id: string) {
  return api.DELETE('/api/v1/folders/{folder_id}', { params: { path: { folder_id: id } } });
}

export function moveWorkflow(id: string, folderId: string | null) {
  const path = { workflow_id: id };
  return body(api.PUT('/api/v1/workflows/{workflow_id}/folder', { params: { path }, body: { folderId } }));
}
