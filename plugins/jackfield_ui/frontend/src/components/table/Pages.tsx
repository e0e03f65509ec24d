import { Button, Group, Text } from '@mantine/core';
import type { Paging } from '../../api/paging';
import { t } from '../../language/messages';
import { count } from '../format';

export function Pages({ offset, limit, total, onOffset, shown }: Paging & { shown: number }) {
  if (total <= limit && offset === 0) return null;
  return (
    <Group justify="space-between" mt="sm">
      <Text size="sm" c="dimmed" role="status">
        {shown
          ? t('{first}–{last} of {total}', {
              first: count(offset + 1),
              last: count(offset + shown),
              total: count(total),
            })
          : t('None of {total}', { total: count(total) })}
      </Text>
      <Group gap="sm">
        <Button variant="default" disabled={offset === 0} onClick={() => onOffset(Math.max(0, offset - limit))}>
          {t('Previous')}
        </Button>
        <Button variant="default" disabled={offset + shown >= total} onClick={() => onOffset(offset + limit)}>
          {t('Next')}
        </Button>
      </Group>
    </Group>
  );
}
