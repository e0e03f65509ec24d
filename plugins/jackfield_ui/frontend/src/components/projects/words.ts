import { t } from '../../language/messages';
import type { Kind } from './queries';

const WORDS: Record<Kind, [string, string]> = {
  workflow: ['workflow', 'workflows'],
  credential: ['credential', 'credentials'],
  variable: ['variable', 'variables'],
  'data-table': [t('data table'), t('data tables')],
  profile: ['profile', 'profiles'],
  'virtual-key': [t('virtual key'), t('virtual keys')],
};

/** '1 workflow', '3 data tables'. */
export function manyOf(kind: Kind, many: number): string {
  const [one, several] = WORDS[kind];
  return many === 1 ? `1 ${one}` : `${many} ${several}`;
}
