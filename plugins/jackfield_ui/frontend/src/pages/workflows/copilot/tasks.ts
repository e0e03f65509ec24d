/** The tasks that an agent is given by a button. Pure. */
import { t } from '../../../language/messages';
import type { Action, Task } from './queries';

/** That which the tasks are about, beside the workflow. */
export interface Subject {
  /** The last execution that the editor has read. */
  execution: string | undefined;
  isFailed: boolean;
}

interface Quick {
  action: Exclude<Action, 'build' | 'ask'>;
  label: string;
  isFor: (subject: Subject) => boolean;
}

export const QUICK: readonly Quick[] = [
  { action: 'fix', label: t('Fix this failure'), isFor: ({ isFailed }) => isFailed },
  { action: 'explain', label: t('Explain'), isFor: () => true },
  { action: 'cost', label: t('Why did this cost this much?'), isFor: () => true },
];

export function taskOf(action: Action, text: string, { execution }: Subject): Task {
  const about = action === 'fix' || action === 'cost';
  return { action, text: text.trim(), execution: about ? execution : undefined };
}
