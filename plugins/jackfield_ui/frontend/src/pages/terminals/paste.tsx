import { Code, Stack, Text } from '@mantine/core';
import { confirm } from '../../components/confirm';
import { bytes, count } from '../../components/format';
import { t } from '../../language/messages';
import { asks, pasteable } from './pasting';

const SHOWN = 600;

/** What may be pasted, once the user has seen what would run; undefined when the user thinks better of it. */
export async function allowedPaste(text: string, bracketed: boolean): Promise<string | undefined> {
  const clean = pasteable(text);
  if (!clean) return undefined;
  const why = asks(clean, bracketed);
  if (!why) return clean;
  const lines = clean.replace(/\n$/, '').split('\n').length;
  const yes = await confirm({
    title:
      why === 'much'
        ? t('Paste {clean}?', { clean: bytes(clean.length) })
        : lines > 1
          ? t('Paste {lines} lines?', { lines: count(lines) })
          : t('Paste a line and run it?'),
    body: (
      <Stack gap="xs">
        <Text>
          {why === 'lines'
            ? t(
                'The program in the terminal treats each line as if you had pressed Enter: a shell runs them immediately.',
              )
            : t('This is a lot of text for a terminal.')}
        </Text>
        <Code
          block
          style={{ maxHeight: '12rem', overflow: 'auto' }}
          tabIndex={0}
          role="region"
          aria-label={t('The text')}
        >
          {clean.length > SHOWN ? `${clean.slice(0, SHOWN)}…` : clean}
        </Code>
      </Stack>
    ),
    action: t('Paste'),
    danger: false,
  });
  return yes ? clean : undefined;
}
