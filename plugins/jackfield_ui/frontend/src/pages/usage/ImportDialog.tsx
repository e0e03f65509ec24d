import { Alert, Button, Group, List, Select, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Modal } from '../../components/Modal';
import { t } from '../../language/messages';
import { useImport } from './queries';

const AGENTS = [
  { value: '', label: t('Every agent that has a log') },
  { value: 'claude', label: 'Claude Code' },
  { value: 'codex', label: 'Codex' },
  { value: 'opencode', label: 'OpenCode' },
];

/** Counts what is new in agents' own logs. May be repeated at any time. */
export function ImportDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [agent, setAgent] = useState('');
  const [folder, setFolder] = useState('');
  const work = useImport();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const agent_dir = folder.trim();
    work.mutate({ ...(agent ? { agent } : {}), ...(agent && agent_dir ? { agent_dir } : {}) });
  };
  const close = () => {
    work.reset();
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title={t('Import usage from agents’ logs')}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm" c="dimmed">
            {t('The logs are only read. Every answer counts once, however often they are imported.')}
          </Text>
          <Select
            label={t('Agent')}
            data={AGENTS}
            value={agent}
            allowDeselect={false}
            onChange={(value) => setAgent(value ?? '')}
          />
          <TextInput
            label={t('Data directory')}
            description={agent ? t('Empty: the agent’s default directory.') : t('Choose an agent to name a directory.')}
            placeholder="/home/ada/.claude"
            value={folder}
            disabled={!agent}
            onChange={(event) => setFolder(event.currentTarget.value)}
          />
          {work.data && (
            <Alert color={work.data.warnings.length ? 'yellow' : 'glaze'} role="status">
              {work.data.text}
              {work.data.warnings.length > 0 && (
                <List size="sm" mt="xs">
                  {work.data.warnings.map((warning) => (
                    <List.Item key={warning} style={{ overflowWrap: 'anywhere' }}>
                      {warning}
                    </List.Item>
                  ))}
                </List>
              )}
            </Alert>
          )}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close}>
              {work.data ? t('Close') : t('Cancel')}
            </Button>
            <Button type="submit" loading={work.isPending}>
              {work.data ? t('Import again') : t('Import')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
