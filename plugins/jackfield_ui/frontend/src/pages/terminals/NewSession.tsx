import {
  Alert,
  Button,
  Checkbox,
  Collapse,
  Group,
  SegmentedControl,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Link } from 'react-router';
import { ApiError, messageOf } from '../../api/errors';
import { areaPath } from '../../app/areas';
import { DirectoryInput } from '../../components/DirectoryInput';
import { EmptyState } from '../../components/EmptyState';
import { Modal } from '../../components/Modal';
import { NumberField } from '../../components/numbers/NumberField';
import { ProfileSelect } from '../../components/ProfileSelect';
import { words } from '../../components/words';
import { IconAlertTriangle } from '../../icons/drawn';
import { t } from '../../language/messages';
import { guessedSize } from './guessedSize';
import { type NewSessionBody, sessionName, useProfile, useProfiles, useSessions, useStart } from './queries';

const KEEPS = [
  { value: 'profile', label: t('Keeps running, unless the profile forbids it') },
  { value: 'yes', label: t('Keeps running when the daemon restarts') },
  { value: 'no', label: t('Ends with the daemon') },
];

const OF_SETTING = { value: 'profile', label: t('Keeps running, if the system supports it') };
const STARTS = [
  { value: 'agent', label: t('Agent') },
  { value: 'shell', label: t('Shell') },
];
const SANDBOXES = [
  { value: 'off', label: t('None') },
  { value: 'standard', label: t('Standard: your home directory is hidden') },
  { value: 'strict', label: t('Strict: only the system and the directory are shown') },
];

/** Starts an agent or a shell; for a split also shows what runs already. */
export function NewSession({
  title = t('New terminal session'),
  profile: wished,
  others = false,
  inWorkspace = false,
  onOpen,
  onClose,
}: {
  title?: string;
  profile?: string | undefined;
  /** Whether a running session may be chosen in place of a new one. */
  others?: boolean;
  /** The focus afterwards is a terminal's, which may be another one than before. */
  inWorkspace?: boolean;
  onOpen: (session: string) => void;
  onClose: () => void;
}) {
  const profiles = useProfiles();
  const sessions = useSessions();
  const start = useStart();
  const [chosen, choose] = useState<string | null>(wished ?? null);
  const alias = chosen ?? (profiles.data?.length === 1 ? (profiles.data[0]?.alias ?? null) : null);
  const detail = useProfile(alias);
  const [starts, setStarts] = useState('agent');
  const shell = starts === 'shell';
  const [sandbox, setSandbox] = useState<NonNullable<NewSessionBody['sandbox']>>('off');
  const [directory, setDirectory] = useState('');
  const [args, setArgs] = useState('');
  const [cols, setCols] = useState<number | string>('');
  const [rows, setRows] = useState<number | string>('');
  const [persist, setPersist] = useState<string | null>('profile');
  const [record, setRecord] = useState(false);
  const [more, setMore] = useState(false);
  const fields = start.error instanceof ApiError ? start.error.fields : {};
  const named = ['profile_alias', 'sandbox', 'working_dir', 'args', 'cols', 'rows', 'persist'];
  const running = others ? (sessions.data ?? []).filter(({ state }) => state === 'running') : [];

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!alias && !shell) return;
    const fitting = guessedSize();
    const body: NewSessionBody = {
      ...(shell ? { sandbox } : alias ? { profile_alias: alias } : {}),
      cols: Number(cols) || fitting.cols,
      rows: Number(rows) || fitting.rows,
      ...(directory.trim() ? { working_dir: directory.trim() } : {}),
      ...(args.trim() && !shell ? { args: words(args) } : {}),
      persist: persist === 'profile' ? 'where_possible' : persist === 'yes',
      ...(record ? { record } : {}),
    };
    try {
      onOpen(await start.mutateAsync(body));
    } catch {
      // Shown below.
    }
  };

  return (
    <Modal opened onClose={onClose} title={title} size="md" returnFocus={!inWorkspace}>
      <SegmentedControl
        fullWidth
        mb="md"
        aria-label={t('To be started')}
        data={STARTS}
        value={starts}
        onChange={setStarts}
      />
      {profiles.data?.length === 0 && !shell ? (
        <EmptyState
          title={t('No profiles yet')}
          action={
            <Button component={Link} to={`${areaPath('profiles')}?new`}>
              {t('New profile')}
            </Button>
          }
        >
          {t(
            'A terminal runs the agent of a profile. The profile names the agent, its provider, its model and its key.',
          )}
        </EmptyState>
      ) : (
        <form onSubmit={(event) => void submit(event)}>
          <Stack>
            {running.length > 0 && (
              <Select
                label={t('Show a running session')}
                placeholder={t('Or start a new one below')}
                data={running.map((row) => ({
                  value: row.id,
                  label: `${sessionName(row)} · ${row.id.slice(0, 8)}`,
                }))}
                value={null}
                onChange={(id) => id && onOpen(id)}
              />
            )}
            {!shell && (
              <ProfileSelect profiles={profiles.data} value={alias} onChange={choose} error={fields.profile_alias} />
            )}
            <DirectoryInput
              label={t('Directory')}
              placeholder={
                shell ? t('Your home') : (detail.data?.working_dir ?? detail.data?.profile_home ?? t('The profile’s'))
              }
              value={directory}
              onChange={setDirectory}
              error={fields.working_dir}
            />
            {shell && (
              <Select
                label={t('Sandbox')}
                data={SANDBOXES}
                value={sandbox}
                onChange={(next) => next && setSandbox(next as typeof sandbox)}
                allowDeselect={false}
                error={fields.sandbox}
              />
            )}
            {detail.data && !shell && (
              <Text size="sm" c="dimmed">
                {t('Sandbox: {sandbox}, as the profile says.', {
                  sandbox: detail.data.sandbox === 'off' ? t('none') : detail.data.sandbox,
                })}
              </Text>
            )}
            <Checkbox
              label={t('Record from the beginning')}
              checked={record}
              onChange={(event) => setRecord(event.currentTarget.checked)}
            />
            <Button
              variant="subtle"
              size="compact-sm"
              onClick={() => setMore(!more)}
              aria-expanded={more}
              style={{ alignSelf: 'flex-start' }}
            >
              {more ? t('Fewer options') : t('More options')}
            </Button>
            <Collapse expanded={more}>
              <Stack>
                {!shell && (
                  <TextInput
                    label={t('Arguments')}
                    description={t('After the profile’s own. Quote what holds spaces.')}
                    classNames={{ input: 'jf-mono' }}
                    value={args}
                    onChange={(event) => setArgs(event.currentTarget.value)}
                    error={fields.args}
                    autoComplete="off"
                  />
                )}
                <Group grow align="flex-start">
                  <NumberField
                    label={t('Columns')}
                    placeholder={t('Automatic')}
                    min={1}
                    max={1000}
                    decimals={0}
                    value={cols}
                    onChange={setCols}
                    error={fields.cols}
                  />
                  <NumberField
                    label={t('Rows')}
                    placeholder={t('Automatic')}
                    min={1}
                    max={1000}
                    decimals={0}
                    value={rows}
                    onChange={setRows}
                    error={fields.rows}
                  />
                </Group>
                <Select
                  label={t('When the daemon stops')}
                  data={shell ? KEEPS.map((one) => (one.value === 'profile' ? OF_SETTING : one)) : KEEPS}
                  value={persist}
                  onChange={setPersist}
                  allowDeselect={false}
                  error={fields.persist}
                />
              </Stack>
            </Collapse>
            {start.error && (
              <Alert color="red" icon={<IconAlertTriangle />} title={t('It was not started')} role="alert">
                {messageOf(start.error)}
                {Object.entries(fields)
                  .filter(([name]) => !named.includes(name))
                  .map(([name, why]) => (
                    <div key={name}>
                      {name}: {why}
                    </div>
                  ))}
              </Alert>
            )}
            <Group justify="flex-end" gap="sm">
              <Button variant="default" onClick={onClose}>
                {t('Cancel')}
              </Button>
              <Button type="submit" loading={start.isPending} disabled={!alias && !shell}>
                {t('Start')}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}
