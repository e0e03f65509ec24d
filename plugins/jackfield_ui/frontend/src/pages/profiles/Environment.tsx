import { Alert, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useMay } from '../../app/session';
import { ChangedElsewhere } from '../../components/ChangedElsewhere';
import { type Column, DataTable } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { KeyValueEditor, type Pair } from '../../components/KeyValueEditor';
import { explained, notifyDone } from '../../components/notify';
import { useUnsaved } from '../../components/unsaved';
import { IconAlertTriangle, IconVariable } from '../../icons/drawn';
import { t } from '../../language/messages';
import { envOf, pairsOf } from './model';
import classes from './profiles.module.css';
import { type Detail, useChange, useEnvironment } from './queries';
import { SaveBar } from './SaveBar';
import { useStoredRows } from './useStoredRows';

/** The profile's own variables, and all that the agent gets, with secrets masked by the daemon. */
export function Environment({ profile }: { profile: Detail }) {
  const writes = useMay('member');
  const change = useChange(profile.alias);
  const { form, rows, dirty, late, take, keep, setRows, save } = useStoredRows(profile.env, pairsOf, textOf, () => {
    if (change.error) change.reset();
  });
  useUnsaved(dirty, t('the variables'));

  const submit = async () => {
    const checked = envOf(rows);
    setRows(checked.pairs);
    if (!checked.valid) return;
    try {
      await save(async () => (await change.mutateAsync({ env: checked.env })).env);
      notifyDone(t('Saved.'));
    } catch {
      // Shown below.
    }
  };

  return (
    <Stack gap="lg">
      <form onSubmit={form.onSubmit(submit)} className={classes.form}>
        <Stack gap="sm">
          <KeyValueEditor
            label={t('Variables of this profile')}
            description={t(
              'Stored unencrypted: put secrets in the API key instead. Values named like secrets show as ***; leave *** to keep what is stored.',
            )}
            addLabel={t('Add a variable')}
            pairs={rows}
            onChange={setRows}
            readOnly={!writes}
          />
          {change.error && (
            <Alert color="red" icon={<IconAlertTriangle />} role="alert" style={{ whiteSpace: 'pre-line' }}>
              {explained(change.error)}
            </Alert>
          )}
          {late && (
            <ChangedElsewhere
              title={t('The variables were changed elsewhere')}
              onReload={() => take(profile.env)}
              onKeep={keep}
            />
          )}
          {writes && <SaveBar dirty={dirty} late={late} saving={change.isPending} onUndo={() => take(profile.env)} />}
        </Stack>
      </form>
      <Effective profile={profile} />
    </Stack>
  );
}

/** In whatever order they are stored. */
function textOf(pairs: readonly Pair[]): string {
  return JSON.stringify(pairs.map(({ key, value }) => [key, value]).sort(([a = ''], [b = '']) => a.localeCompare(b)));
}

type Variable = [string, string];

const COLUMNS: Column<Variable>[] = [
  {
    key: 'name',
    title: t('Name'),
    primary: true,
    width: '18rem',
    sort: ([name]) => name,
    render: ([name]) => <span className="jf-mono">{name}</span>,
  },
  {
    key: 'value',
    title: t('Value'),
    render: ([, value]) => (
      <span className="jf-mono" style={{ overflowWrap: 'anywhere' }}>
        {value}
      </span>
    ),
  },
];

function Effective({ profile }: { profile: Detail }) {
  const env = useEnvironment(profile.alias);
  const [search, setSearch] = useState('');
  const rows = useMemo(() => {
    const wanted = search.toLowerCase();
    return env.data && Object.entries(env.data).filter(([name]) => name.toLowerCase().includes(wanted));
  }, [env.data, search]);
  return (
    <section>
      <Group justify="space-between" mb="sm">
        <Title order={2}>{t('Environment of the agent')}</Title>
        <TextInput
          aria-label={t('Filter by name')}
          placeholder={t('Filter')}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      </Group>
      <Text size="sm" c="dimmed" mb="sm">
        {t('With the variables of the agent and of the provider. Secrets are masked.')}
      </Text>
      <DataTable
        label={t('Effective environment')}
        columns={COLUMNS}
        rows={rows}
        rowKey={([name]) => name}
        error={env.error}
        onRetry={() => void env.refetch()}
        initialSort={{ key: 'name', descending: false }}
        empty={<EmptyState icon={IconVariable} title={search ? t('No such variable') : t('No variable')} />}
      />
    </section>
  );
}
