import { t } from '../../language/messages';
import type { Kind } from './queries';

const WORDS: Record<Kind, [string, string]> = {
  workflow: [t('workflow'), t('workflows')],
  credential: [t('credential'), t('credentials')],
  variable: [t('variable'), t('variables')],
  'data-table': [t('data table'), t('data tables')],
  profile: [t('profile'), t('profiles')],
  'virtual-key': [t('virtual key'), t('virtual keys')],
};

/** '1 workflow', '3 data tables'. */
export function manyOf(kind: Kind, many: number): string {
  const [one, several] = WORDS[kind];
  return many === 1 ? `1 ${one}` : `${many} ${several}`;
}
