import { createContext, useContext } from 'react';
import { t } from '../../../language/messages';
import { NOTHING } from './progress';
import type { Live } from './useLive';

const away = async () => undefined;

export const LiveContext = createContext<Live>({
  progress: NOTHING,
  id: undefined,
  status: undefined,
  execution: undefined,
  reusable: undefined,
  listening: false,
  run: away,
  cancel: () => undefined,
  listen: () => undefined,
  settle: () => undefined,
  clear: () => undefined,
  show: () => Promise.reject(new Error(t('no editor'))),
  renamed: () => undefined,
});

export const useLiveRun = (): Live => useContext(LiveContext);
