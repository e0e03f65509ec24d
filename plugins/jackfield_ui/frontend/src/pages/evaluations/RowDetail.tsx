import { Alert, Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { Link } from 'react-router';
import { JsonView } from '../../components/JsonView';
import { Modal } from '../../components/Modal';
import { t } from '../../language/messages';
import { executionPath } from '../executions/queries';
import type { EvaluatedRow } from './queries';
import { Score } from './scores';

/** All of a row: its input, expectation, output and scores, and the way to its execution. */
export function RowDetail({ row, onClose }: { row: EvaluatedRow; onClose: () => void }) {
  const parts = [
    [t('Input'), row.input],
    [t('Expected'), row.expected],
    [t('Output'), row.output],
  ] as const;
  return (
    <Modal opened onClose={onClose} title={t('Row {rowId}', { rowId: row.rowId })} size="xl">
      <Stack>
        {row.problem && (
          <Alert color="red" role="status">
            {row.problem}
          </Alert>
        )}
        {row.executionId && (
          <Anchor component={Link} to={executionPath(row.executionId)}>
            {t('Open the execution')}
          </Anchor>
        )}
        {parts.map(([label, value]) => (
          <section key={label}>
            <Title order={2} size="h5" mb="xs">
              {label}
            </Title>
            <JsonView value={value} label={label} maxHeight={240} />
          </section>
        ))}
        {row.scores.map(({ name, score, reason, error, executionId }) => (
          <section key={name}>
            <Group gap="sm">
              <Text fw={600}>{name}</Text>
              <Score value={score} />
              {executionId && (
                <Anchor component={Link} to={executionPath(executionId)} size="sm">
                  {t('Open the judge’s execution')}
                </Anchor>
              )}
            </Group>
            <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {error || reason}
            </Text>
          </section>
        ))}
      </Stack>
    </Modal>
  );
}
