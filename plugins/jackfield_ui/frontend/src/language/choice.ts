/** Which language the interface speaks: the one chosen in this browser, else the first of the browser's that there is. */
import { speak } from './messages';

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

const KEPT = 'jackfield.language';
const CATALOGUES = { de: () => import('./catalogues/de.po') };

const isLanguage = (name: string | null): name is Language => name !== null && Object.hasOwn(LANGUAGES, name);

/** The user's choice; undefined: as the browser says. */
export function chosenLanguage(): Language | undefined {
  try {
    const kept = localStorage.getItem(KEPT);
    return isLanguage(kept) ? kept : undefined;
  } catch {
    // Storage may be forbidden; the browser's languages decide then.
    return undefined;
  }
}

/** Keeps the choice, and opens the page again: many of its words are made once. */
export function chooseLanguage(language: Language | undefined): void {
  try {
    if (language) localStorage.setItem(KEPT, language);
    else localStorage.removeItem(KEPT);
  } catch {
    // Storage may be forbidden; the choice cannot be kept then.
    return;
  }
  location.reload();
}

/** Of languages such as `de-AT`, the best first, the first that we have, and how the browser calls it. */
export function bestOf(wanted: readonly string[]): { language: Language; locale: string } {
  for (const locale of wanted) {
    const language = locale.toLowerCase().split('-')[0] ?? '';
    if (isLanguage(language)) return { language, locale };
  }
  return { language: 'en', locale: 'en' };
}

/** Before anything is drawn. A catalogue that does not come leaves the interface English. */
export async function beginLanguage(): Promise<void> {
  const chosen = chosenLanguage();
  const own = navigator.languages ?? [];
  const { language, locale } = bestOf(
    chosen ? [...own.filter((one) => bestOf([one]).locale === one && bestOf([one]).language === chosen), chosen] : own,
  );
  try {
    speak(language, locale, language === 'en' ? {} : (await CATALOGUES[language]()).default);
    document.documentElement.lang = language;
  } catch {
    document.documentElement.lang = 'en';
  }
}
