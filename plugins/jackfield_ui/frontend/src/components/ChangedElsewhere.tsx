import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '../icons/drawn';
import { t } from '../language/messages';

/** Two have changed the same thing. title: 'The rules were changed elsewhere'. */
export function ChangedElsewhere({
  title,
  onReload,
  onKeep,
}: {
  title: string;
  onReload: () => void;
  onKeep: () => void;
}) {
  return (
    <Alert
      color="yellow"
      role="alert"
      icon={<IconAlertTriangle />}
      title={title}
      styles={{ title: { color: 'var(--jf-banner-text)' } }}
    >
      <Text size="sm" mb="sm">
        {t('Somebody else, or another tab, has saved them since you began. Your changes are still here.')}
      </Text>
      <Group gap="sm">
        <Button variant="default" size="compact-sm" onClick={onReload}>
          {t('Discard mine and load them')}
        </Button>
        <Button variant="default" size="compact-sm" onClick={onKeep}>
          {t('Keep mine')}
        </Button>
      </Group>
    </Alert>
  );
}
