import { ActionIcon, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, body } from '../../api/client';
import type { Schemas } from '../../api/types';
import { useInvalidate } from '../../api/useEvents';
import { useMay } from '../../app/session';
import { Copyable } from '../../components/Copyable';
import { confirm } from '../../components/confirm';
import type { Column } from '../../components/DataTable';
import { Modal } from '../../components/Modal';
import { notifyError } from '../../components/notify';
import { ChosenThings } from '../../components/projects/ChosenThings';
import { PlaceMenu } from '../../components/projects/PlaceMenu';
import { projectColumns } from '../../components/projects/ProjectBadge';
import { useProjectsInUse } from '../../components/projects/queries';
import { type Belonging, useBelonging } from '../../components/projects/rights';
import { useSending } from '../../components/useSending';
import { RelativeTime } from '../../components/values';
import { IconPencil, IconTrash, IconVariable } from '../../icons/drawn';
import { rich, t } from '../../language/messages';
import { Buttons, Unexplained } from './FormParts';
import { ListSection } from './ListSection';
import { useNew } from './useNew';

type Variable = Schemas['VariableShown'];

const PATH = '/api/v1/variables';
const ONE = '/api/v1/variables/{variable_id}';
const HERE = '/ui/settings/variables';
const NO_IDS: readonly string[] = [];
const ofVariable = (id: string) => ({ params: { path: { variable_id: id } } });

export function Variables() {
  const may = useMay('member');
  const [adding, setAdding] = useNew();
  const [editing, setEditing] = useState<Variable>();
  const list = useQuery({
    queryKey: ['variables', 'list'],
    queryFn: ({ signal }) => body(api.GET(PATH, { signal })),
  });
  useInvalidate('workflows', [['variables']], ['variables.changed']);
  const rows = list.data?.data;
  const inUse = useProjectsInUse();
  const belonging = useBelonging('variable', rows?.map(({ id }) => id) ?? NO_IDS);
  const [selected, setSelected] = useState(new Set<string>());
  return (
    <ListSection
      title={t('Variables')}
      about={rich(
        'Values that all workflows share: expressions read them as {code}. They are no secrets: everybody who may read workflows sees them. Secrets belong in credentials.',
        { code: <span className="jf-mono">$vars.name</span> },
      )}
      icon={IconVariable}
      none={t('No variables')}
      hint={t('Store values that several workflows share, such as an address or a limit.')}
      add={t('New variable')}
      onAdd={may ? () => setAdding(true) : undefined}
      filter={
        selected.size > 0 && (
          <ChosenThings
            kind="variable"
            things={(rows ?? []).filter(({ id }) => selected.has(id)).map(({ id, key }) => ({ id, name: key }))}
            to={() => HERE}
            placing={[...selected].every((id) => belonging.may(id, 'admin'))}
            onChange={setSelected}
          />
        )
      }
      columns={[...COLUMNS, ...projectColumns<Variable>(inUse, belonging)]}
      rows={rows}
      rowKey={({ id }) => id}
      rowName={({ key }) => key}
      {...(inUse && may ? { selection: { selected, onChange: setSelected } } : {})}
      error={list.error}
      onRetry={() => void list.refetch()}
      {...(may
        ? {
            rowActions: (variable: Variable) => (
              <Actions variable={variable} belonging={belonging} onEdit={() => setEditing(variable)} />
            ),
          }
        : {})}
    >
      {may && (adding || editing) && (
        <VariableDialog
          variable={editing}
          onClose={() => {
            setEditing(undefined);
            setAdding(false);
          }}
        />
      )}
    </ListSection>
  );
}

const COLUMNS: Column<Variable>[] = [
  {
    key: 'key',
    title: t('Name'),
    primary: true,
    sort: ({ key }) => key,
    render: ({ key }) => (
      <Copyable text={`$vars.${key}`} label={`$vars.${key}`}>
        {key}
      </Copyable>
    ),
  },
  {
    key: 'value',
    title: t('Value'),
    render: ({ value }) => (
      <Text className="jf-mono" lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
        {value}
      </Text>
    ),
  },
  {
    key: 'changed',
    title: t('Changed'),
    width: 130,
    sort: ({ updatedAt }) => updatedAt,
    render: ({ updatedAt }) => <RelativeTime time={updatedAt} />,
  },
];

function useReread() {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: ['variables'] });
}

function Actions({
  variable: { id, key },
  belonging,
  onEdit,
}: {
  variable: Variable;
  belonging: Belonging;
  onEdit: () => void;
}) {
  const reread = useReread();
  const { mutate } = useMutation({
    mutationFn: () => api.DELETE(ONE, ofVariable(id)),
    onSuccess: reread,
    onError: (error) => notifyError(error, t('“{key}” cannot be deleted', { key })),
  });
  const ask = async () => {
    const body = t('Expressions that read it get no value.');
    if (await confirm({ title: t('Delete the variable “{key}”?', { key }), body, action: t('Delete') })) mutate();
  };
  return (
    <Group gap={0} wrap="nowrap" justify="flex-end">
      {belonging.may(id, 'write') && (
        <>
          <ActionIcon aria-label={t('Edit {key}', { key })} onClick={onEdit}>
            <IconPencil size={16} />
          </ActionIcon>
          <ActionIcon aria-label={t('Delete {key}', { key })} onClick={() => void ask()}>
            <IconTrash size={16} />
          </ActionIcon>
        </>
      )}
      {belonging.may(id, 'admin') && <PlaceMenu kind="variable" thing={{ id, name: key }} to={() => HERE} />}
    </Group>
  );
}

function VariableDialog({ variable, onClose }: { variable: Variable | undefined; onClose: () => void }) {
  const reread = useReread();
  const { form, error, busy, submit } = useSending({
    initial: { key: variable?.key ?? '', value: variable?.value ?? '' },
    send: (filled) =>
      body(variable ? api.PUT(ONE, { ...ofVariable(variable.id), body: filled }) : api.POST(PATH, { body: filled })),
    onSent: () => {
      reread();
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={variable ? t('Variable “{key}”', { key: variable.key }) : t('New variable')}>
      <form onSubmit={submit}>
        <Stack>
          <Unexplained error={error} />
          <TextInput
            label={t('Name')}
            description={t('Letters, digits and _; the first is no digit')}
            required
            maxLength={128}
            data-autofocus
            classNames={{ input: 'jf-mono' }}
            {...form.getInputProps('key')}
          />
          <Textarea
            label={t('Value')}
            autosize
            minRows={2}
            maxRows={12}
            classNames={{ input: 'jf-mono' }}
            {...form.getInputProps('value')}
          />
          <Buttons action={variable ? t('Save') : t('Create')} busy={busy} onClose={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
