import { Stack, Text } from '@mantine/core';
import { confirm } from '../../components/confirm';
import { notifyError } from '../../components/notify';

/** Opens an address that a program has printed, once the user has seen it whole. */
export async function openLink(address: string): Promise<void> {
  const url = safe(address);
  if (!url) {
    notifyError(new Error('Only addresses of the web (http, https) are opened from a terminal.'), 'Not opened');
    return;
  }
  const yes = await confirm({
    title: `Open ${url.host}?`,
    body: (
      <Stack gap="xs">
        <Text>A program in the terminal has printed this address:</Text>
        <Text className="jf-mono" style={{ overflowWrap: 'anywhere' }}>
          {url.href}
        </Text>
      </Stack>
    ),
    action: 'Open',
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
