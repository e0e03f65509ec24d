import { ActionIcon, Menu } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api, body, segment } from '../../../api/client';
import type { WorkflowRow } from '../../../api/types';
import { areaPath } from '../../../app/areas';
import { hasArea } from '../../../app/pages';
import { confirm } from '../../../components/confirm';
import { notifyDone, notifyError } from '../../../components/notify';
import { PlaceDialogs, PlaceItems, type Placing } from '../../../components/projects/PlaceItems';
import type { Belonging } from '../../../components/projects/rights';
import { IconCopy, IconDotsVertical, IconFolder, IconPlayerPlay, IconTrash } from '../../../icons/drawn';
import { t } from '../../../language/messages';
import { startWorkflow } from '../queries';
import { address } from './columns';
import { moveWorkflow } from './folders';
import { MoveTo } from './MoveTo';
import { useReread } from './useReread';

/** What may be done to a workflow in the list. */
export function Actions({ row, belonging }: { row: WorkflowRow; belonging: Belonging }) {
  const ofRow = { params: { path: { workflow_id: row.id } } };
  const reread = useReread();
  const navigate = useNavigate();
  const [moving, setMoving] = useState(false);
  const [placing, setPlacing] = useState<Placing>();
  const writes = belonging.may(row.id, 'write');
  const run = useMutation({
    mutationFn: () => startWorkflow(row.id),
    onSuccess: ({ executionId }) => {
      if (hasArea('executions')) void navigate(`${areaPath('executions')}/${segment(executionId)}`);
      else notifyDone(t('“{name}” is running.', { name: row.name }));
    },
    onError: (error) => notifyError(error, t('“{name}” cannot run', { name: row.name })),
  });
  const duplicate = useMutation({
    mutationFn: () => body(api.POST('/api/v1/workflows/{workflow_id}/duplicate', { ...ofRow, body: {} })),
    onSuccess: ({ name }) => {
      reread();
      notifyDone(t('Copied to “{name}”.', { name }));
    },
    onError: (error) => notifyError(error),
  });
  const remove = useMutation({
    mutationFn: () => api.DELETE('/api/v1/workflows/{workflow_id}', ofRow),
    onSuccess: reread,
    onError: (error) => notifyError(error),
  });
  const ask = async () => {
    const text = row.active
      ? t('It is active: its webhooks and schedules end as well. Its versions are deleted; its executions stay.')
      : t('Its versions are deleted as well; its executions stay.');
    if (
      await confirm({ title: t('Delete the workflow “{name}”?', { name: row.name }), body: text, action: t('Delete') })
    )
      remove.mutate();
  };
  const move = async (folderId: string | null) => {
    await moveWorkflow(row.id, folderId);
    reread();
  };
  return (
    <>
      <Menu>
        <Menu.Target>
          <ActionIcon
            aria-label={t('Actions for “{name}”', { name: row.name })}
            onClick={(event) => event.stopPropagation()}
          >
            <IconDotsVertical size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown onClick={(event) => event.stopPropagation()}>
          {belonging.may(row.id, 'start') && (
            <Menu.Item leftSection={<IconPlayerPlay size={16} />} onClick={() => run.mutate()}>
              {t('Run')}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconCopy size={16} />} onClick={() => duplicate.mutate()}>
            {t('Duplicate')}
          </Menu.Item>
          {writes && (
            <Menu.Item leftSection={<IconFolder size={16} />} onClick={() => setMoving(true)}>
              {t('Move to a folder')}
            </Menu.Item>
          )}
          {belonging.may(row.id, 'admin') && <PlaceItems onPlace={setPlacing} />}
          {writes && (
            <>
              <Menu.Divider />
              <Menu.Item c="var(--jf-bad)" leftSection={<IconTrash size={16} />} onClick={() => void ask()}>
                {t('Delete')}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <PlaceDialogs
        open={placing}
        kind="workflow"
        things={[row]}
        to={(id) => address({ id })}
        onClose={() => setPlacing(undefined)}
      />
      {moving && (
        <MoveTo
          title={t('Move “{name}”', { name: row.name })}
          present={row.folderId}
          run={move}
          onClose={() => setMoving(false)}
        />
      )}
    </>
  );
}
