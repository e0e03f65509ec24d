import { Group, Kbd, Stack, Text, Title } from '@mantine/core';
import { Modal } from '../components/Modal';
import { t } from '../language/messages';
import { useOfferedAreas } from './offered';
import { keysOf, useShownShortcuts } from './shortcuts';

export default function ShortcutsHelp({ onClose }: { onClose: () => void }) {
  const shortcuts = useShownShortcuts();
  const areas = useOfferedAreas();
  return (
    <Modal opened onClose={onClose} title={t('Keyboard shortcuts')} size="md">
      <Stack gap="lg">
        <Stack gap="sm" component="section">
          <Title order={2}>{t('Here')}</Title>
          {shortcuts.map(({ keys, label }) => (
            <Line key={keys + label} label={label} keys={keys === 'shift+?' ? ['?'] : keysOf(keys)} />
          ))}
        </Stack>
        <Stack gap="sm" component="section">
          <Title order={2}>{t('Go to')}</Title>
          {areas.map(({ id, label, jump }) => (
            <Line key={id} label={label} keys={['g', jump]} />
          ))}
        </Stack>
        <Stack gap="sm" component="section">
          <Title order={2}>{t('In lists')}</Title>
          <Line label={t('Next or previous row')} keys={['↓', '↑']} />
          <Line label={t('Open the row')} keys={['Enter']} />
          <Line label={t('Select the row')} keys={['Space']} />
        </Stack>
      </Stack>
    </Modal>
  );
}

function Line({ label, keys }: { label: string; keys: string[] }) {
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text>{label}</Text>
      <Group gap="xs" wrap="nowrap">
        {keys.map((key) => (
          <Kbd key={key}>{key}</Kbd>
        ))}
      </Group>
    </Group>
  );
}
