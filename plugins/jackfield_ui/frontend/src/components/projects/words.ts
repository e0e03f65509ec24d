import type { Kind } from './queries';

const WORDS: Record<Kind, [string, string]> = {
  workflow: ['workflow', 'workflows'],
  credential: ['credential', 'credentials'],
  variable: ['variable', 'variables'],
  'data-table': ['data table', 'data tables'],
  profile: ['profile', 'profiles'],
  'virtual-key': ['virtual key', 'virtual keys'],
};

/** '1 workflow', '3 data tables'. */
export function manyOf(kind: Kind, many: number): string {
  const [one, several] = WORDS[kind];
  return many === 1 ? `1 ${one}` : `${many} ${several}`;
}
