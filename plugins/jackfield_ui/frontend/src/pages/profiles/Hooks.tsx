import {
  ActionIcon,
  Alert,
  Button,
  FileButton,
  Group,
  Paper,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, data } from '../../api/client';
import { ApiError, isRecord, messageOf } from '../../api/errors';
import { useMay } from '../../app/session';
import { ChangedElsewhere } from '../../components/ChangedElsewhere';
import { confirm } from '../../components/confirm';
import { EmptyState } from '../../components/EmptyState';
import { notifyDone, notifyError } from '../../components/notify';
import { NumberField } from '../../components/numbers/NumberField';
import { save } from '../../components/save';
import { useUnsaved } from '../../components/unsaved';
import { IconAlertTriangle, IconDownload, IconPlus, IconTrash, IconUpload, IconWebhook } from '../../icons/drawn';
import { inside, t } from '../../language/messages';
import { type ActionType, configOf, EVENTS, fieldOf, type HookRow, rowsOf } from './hooksModel';
import { type Detail, ofProfile, useChange } from './queries';

import { SaveBar } from './SaveBar';
import { useStoredRows } from './useStoredRows';

const NEW: HookRow = { event: 'PreToolUse', matcher: '*', kind: 'command', text: '', timeout: '', rest: {} };
const KIND_LABELS: { value: ActionType; label: string }[] = [
  { value: 'command', label: t('Command') },
  { value: 'http', label: 'HTTP' },
  { value: 'prompt', label: t('Prompt') },
  { value: 'agent', label: t('Agent') },
];
const textOf = (rows: readonly HookRow[]) => JSON.stringify(configOf(rows).config);
const TEXT_LABELS: Record<ActionType, string> = {
  command: t('Command'),
  http: 'URL',
  prompt: t('Prompt'),
  agent: t('Prompt'),
};

/** What runs at the agent's events. */
export function Hooks({ profile, supported }: { profile: Detail; supported: boolean | undefined }) {
  const writes = useMay('member') && supported !== false;
  const client = useQueryClient();
  const change = useChange(profile.alias);
  const stored = profile.hooks_config;
  const {
    form,
    rows,
    dirty,
    late,
    take,
    keep,
    setRows,
    save: saveRows,
  } = useStoredRows(stored, rowsOf, textOf, () => {
    if (change.error) change.reset();
  });
  const { config, paths } = configOf(rows);
  useUnsaved(dirty, t('the hooks'));
  const fields = change.error instanceof ApiError ? change.error.fields : {};
  const importing = useMutation({
    mutationFn: async (file: File) => {
      const given: unknown = JSON.parse(await file.text());
      const whole = isRecord(given) ? given : {};
      const hooks = isRecord(whole.hooks) ? whole.hooks : whole;
      return data(api.POST('/api/profiles/{alias}/hooks/import', { ...ofProfile(profile.alias), body: hooks }));
    },
    onSuccess: (hooks) => {
      client.setQueryData<Detail>(
        ['profiles', 'one', profile.alias],
        (before) => before && { ...before, hooks_config: hooks as Detail['hooks_config'] },
      );
      take(hooks as Detail['hooks_config']);
      void client.invalidateQueries({ queryKey: ['profiles'] });
      notifyDone(t('The hooks were imported.'));
    },
    onError: (error) =>
      notifyError(error instanceof SyntaxError ? new Error(t('The file is no JSON.')) : error, t('Not imported')),
  });
  const replace = async (file: File | null) => {
    if (!file) return;
    const title = t('Replace all hooks of “{alias}”?', { alias: profile.alias });
    const sure =
      rows.length === 0 ||
      (await confirm({
        title,
        body: t('Jackfield replaces them with those in {name}.', { name: file.name }),
        action: t('Replace'),
      }));
    if (sure) importing.mutate(file);
  };
  const submit = async () => {
    try {
      await saveRows(async () => (await change.mutateAsync({ hooks_config: config })).hooks_config);
      notifyDone(t('Saved.'));
    } catch (error) {
      // Shown below and at the fields, unless the rows have changed since they were sent.
      if (textOf(form.getValues().rows) === textOf(rows)) return;
      change.reset();
      notifyError(error, t('The hooks were not saved'));
    }
  };

  if (supported === false) {
    return (
      <EmptyState icon={IconWebhook} title={t('This agent has no hooks')}>
        {t('The agent {agentId} runs nothing at its events.', { agentId: profile.agent_id })}
      </EmptyState>
    );
  }
  const add = (
    <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => setRows([...rows, NEW])}>
      {t('Add a hook')}
    </Button>
  );
  return (
    <form onSubmit={form.onSubmit(submit)}>
      <Stack>
        <Group justify="space-between" gap="sm">
          <Text size="sm" c="dimmed" maw={560}>
            {t(
              'Commands get the event as JSON on their standard input. Times are seconds, 1 to 3600; without one, the agent’s own limit applies.',
            )}
          </Text>
          <Group gap="sm">
            {writes && (
              <FileButton
                accept="application/json,.json"
                onChange={(file) => void replace(file)}
                inputProps={{ 'aria-label': t('File of hooks') }}
              >
                {(props) => (
                  <Button
                    {...props}
                    variant="default"
                    leftSection={<IconUpload size={16} />}
                    loading={importing.isPending}
                  >
                    {t('Import')}
                  </Button>
                )}
              </FileButton>
            )}
            <Button
              variant="default"
              leftSection={<IconDownload size={16} />}
              disabled={rows.length === 0}
              onClick={() =>
                save(`${JSON.stringify(config, null, 2)}\n`, `${profile.alias}-hooks.json`, 'application/json')
              }
            >
              {t('Export')}
            </Button>
          </Group>
        </Group>
        {rows.length === 0 && (
          <Paper>
            <EmptyState icon={IconWebhook} title={t('No hooks')} action={writes && add}>
              {t('A hook runs a command before or after the agent uses a tool, when it needs you, or when it is done.')}
            </EmptyState>
          </Paper>
        )}
        {rows.map((row, at) => {
          const wrong = (name: string) => fields[`${paths[at]}.${name}`] ?? fields[`${paths[at]}.${row.kind}.${name}`];
          const number = t('Hook {number}', { number: at + 1 });
          return (
            <Paper key={at} p="md" component="fieldset" aria-label={number} m={0}>
              <Group align="flex-start" gap="sm">
                <Select
                  flex="1 1 11rem"
                  label={t('Event')}
                  searchable
                  data={EVENTS.some((event) => event === row.event) ? [...EVENTS] : [row.event, ...EVENTS]}
                  allowDeselect={false}
                  {...form.getInputProps(`rows.${at}.event`)}
                  disabled={!writes}
                />
                <TextInput
                  flex="1 1 9rem"
                  label={t('Matcher')}
                  classNames={{ input: 'jf-mono' }}
                  placeholder="*"
                  {...form.getInputProps(`rows.${at}.matcher`)}
                  error={fields[`${paths[at]?.replace(/\.hooks\[\d+\]$/, '')}.matcher`]}
                  readOnly={!writes}
                />
                <Select
                  flex="0 1 8rem"
                  label={t('Action')}
                  data={KIND_LABELS}
                  allowDeselect={false}
                  {...form.getInputProps(`rows.${at}.kind`)}
                  disabled={!writes}
                />
                <NumberField
                  flex="0 1 8rem"
                  label={t('Timeout (s)')}
                  min={1}
                  decimals={0}
                  placeholder={t('Its own')}
                  {...form.getInputProps(`rows.${at}.timeout`)}
                  onChange={(value) => form.setFieldValue(`rows.${at}.timeout`, value === '' ? '' : Number(value))}
                  error={wrong('timeout')}
                  readOnly={!writes}
                />
                {writes && (
                  <ActionIcon
                    mt={26}
                    aria-label={t('Remove the {hook}', { hook: inside(number) })}
                    onClick={() => setRows(rows.filter((_, other) => other !== at))}
                  >
                    <IconTrash size={16} />
                  </ActionIcon>
                )}
              </Group>
              <Textarea
                mt="sm"
                label={TEXT_LABELS[row.kind]}
                classNames={{ input: 'jf-mono' }}
                autosize
                minRows={1}
                maxRows={8}
                required
                {...form.getInputProps(`rows.${at}.text`)}
                error={wrong(fieldOf(row.kind))}
                readOnly={!writes}
              />
            </Paper>
          );
        })}
        {change.error && (
          <Alert color="red" icon={<IconAlertTriangle />} title={t('The hooks were not saved')} role="alert">
            {messageOf(change.error)}
            {Object.entries(fields).map(([name, why]) => (
              <div key={name}>
                {name}: {why}
              </div>
            ))}
          </Alert>
        )}
        {late && (
          <ChangedElsewhere title={t('The hooks were changed elsewhere')} onReload={() => take(stored)} onKeep={keep} />
        )}
        {writes && (
          <SaveBar
            dirty={dirty}
            late={late}
            saving={change.isPending}
            onUndo={() => take(stored)}
            empty={rows.length === 0 && !dirty}
          >
            {rows.length > 0 && add}
          </SaveBar>
        )}
      </Stack>
    </form>
  );
}
