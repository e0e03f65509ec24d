import { Menu } from '@mantine/core';
import { IconCheck } from '../icons/drawn';
import { chooseLanguage, chosenLanguage, LANGUAGES, type Language } from './choice';
import { t } from './messages';

/** The languages, each in its own words, as items of a menu. */
export function LanguageItems() {
  const chosen = chosenLanguage();
  const item = (language: Language | undefined, label: string) => (
    <Menu.Item
      lang={language}
      rightSection={language === chosen ? <IconCheck size={16} aria-label={t('chosen')} /> : undefined}
      onClick={() => chooseLanguage(language)}
    >
      {label}
    </Menu.Item>
  );
  return (
    <>
      <Menu.Label>{t('Language of the interface')}</Menu.Label>
      {item(undefined, t('As the browser'))}
      {item('en', LANGUAGES.en)}
      {item('de', LANGUAGES.de)}
    </>
  );
}
