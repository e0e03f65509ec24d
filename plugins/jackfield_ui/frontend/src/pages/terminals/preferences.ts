import { useLocalStorage } from '@mantine/hooks';

export const SIZES = { least: 8, usual: 14, most: 28 } as const;

export interface Preferences {
  fontSize: number;
  screenReader: boolean;
}

const USUAL: Preferences = { fontSize: SIZES.usual, screenReader: false };

/** How terminals look in this browser. */
export function usePreferences(): [Preferences, (change: Partial<Preferences>) => void] {
  const [kept, keep] = useLocalStorage({
    key: 'jackfield.terminal',
    defaultValue: USUAL,
    getInitialValueInEffect: false,
  });
  const size = Number(kept.fontSize) || SIZES.usual;
  const found = {
    fontSize: Math.min(SIZES.most, Math.max(SIZES.least, size)),
    screenReader: kept.screenReader === true,
  };
  return [found, (change) => keep({ ...found, ...change })];
}
