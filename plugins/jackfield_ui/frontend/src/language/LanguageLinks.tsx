import { Button, Group } from '@mantine/core';
import { chooseLanguage, LANGUAGES } from './choice';
import { language, t } from './messages';

/** Each language as a button, for a page without the menu of the account. */
export function LanguageLinks() {
  const button = (name: keyof typeof LANGUAGES) => (
    <Button
      variant="subtle"
      size="xs"
      lang={name}
      aria-pressed={language() === name}
      onClick={() => chooseLanguage(name)}
    >
      {LANGUAGES[name]}
    </Button>
  );
  return (
    <Group role="group" justify="center" gap="xs" aria-label={t('Language of the interface')}>
      {button('en')}
      {button('de')}
    </Group>
  );
}
