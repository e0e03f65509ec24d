import { Stack, Text } from '@mantine/core';
import { confirm } from '../../components/confirm';
import { notifyError } from '../../components/notify';
import { t } from '../../language/messages';

/** Opens an address that a program has printed, once the user has seen it whole. */
export async function openLink(address: string): Promise<void> {
  const url = safe(address);
  if (!url) {
    notifyError(new Error(t('A terminal opens only web addresses (http, https).')), t('Not opened'));
    return;
  }
  const yes = await confirm({
    title: t('Open {host}?', { host: url.host }),
    body: (
      <Stack gap="xs">
        <Text>{t('A program in the terminal has printed this address:')}</Text>
        <Text className="jf-mono" style={{ overflowWrap: 'anywhere' }}>
          {url.href}
        </Text>
      </Stack>
    ),
    action: t('Open'),
    danger: false,
  });
  if (yes) window.open(url.href, '_blank', 'noopener,noreferrer');
}

function safe(address: string): URL | undefined {
  try {
    const url = new URL(address);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
  } catch {
    return undefined;
  }
}
