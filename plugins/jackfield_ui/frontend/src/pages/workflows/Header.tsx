import { ActionIcon, Anchor, Button, Group, Menu, Stack, Switch, Text, TextInput, Tooltip } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useReactFlow } from '@xyflow/react';
import { Link, useNavigate } from 'react-router';
import { segment } from '../../api/client';
import { areaPath } from '../../app/areas';
import { Modal } from '../../components/Modal';
import { notifyError } from '../../components/notify';
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconChevronLeft,
  IconDotsVertical,
  IconDownload,
  IconHistory,
  IconLayoutDistributeHorizontal,
  IconNote,
  IconPlus,
  IconSettings,
} from '../../icons/drawn';
import { rich, t } from '../../language/messages';
import { AttentionMark } from './AttentionMark';
import { CopilotButton } from './CopilotButton';
import { tidyUp } from './canvas/commands';
import classes from './editor.module.css';
import { presentDoc, useEditor, useSteps, useStore } from './model/store';
import { type AttentionReason, createWorkflow, type Saved, type Start, setActive, useNodeTypes } from './queries';
import type { Save } from './useSave';

/** Name, state and what is done to the workflow as a whole. */
export function Header({
  newest,
  save,
  editable,
  blocking,
  onVersions,
  onSettings,
  onAdd,
  onNote,
  onCopilot,
  isCopilotOpen,
  starts,
}: {
  newest: Saved;
  save: Save;
  editable: boolean;
  /** What keeps the document from being live. */
  blocking: readonly AttentionReason[];
  onVersions: () => void;
  onSettings: () => void;
  onAdd: () => void;
  onNote: () => void;
  /** Opens and closes the copilot. */
  onCopilot: () => void;
  isCopilotOpen: boolean;
  /** What starts it, in words. */
  starts: readonly Start[];
}) {
  const store = useStore();
  const doc = useEditor(presentDoc);
  const version = useEditor((state) => state.version);
  const { back, forth } = useSteps();
  const stale = newest.version > version && !save.saving && !save.gone;
  return (
    <div className={classes.header}>
      <h1 className="jf-hidden" tabIndex={-1}>
        {doc.name || t('Workflow')}
      </h1>
      <Tooltip label={t('All workflows')} withinPortal={false}>
        <ActionIcon component={Link} to={areaPath('workflows')} aria-label={t('All workflows')}>
          <IconChevronLeft size={18} />
        </ActionIcon>
      </Tooltip>
      <TextInput
        className={classes.title}
        variant="unstyled"
        aria-label={t('Name of the workflow')}
        maxLength={255}
        readOnly={!editable}
        value={doc.name}
        onChange={(event) => {
          const name = event.currentTarget.value;
          store.commit((now) => ({ ...now, name }), 'name');
        }}
      />
      {save.gone && <Gone editable={editable} />}
      {stale && (
        <Text size="sm" c="var(--jf-warn)" role="status">
          {rich('Saved elsewhere as version {version}. <link>Load it</link>', {
            version: newest.version,
            link: (inner) => (
              <Anchor component="button" type="button" inherit onClick={() => store.replace(newest)}>
                {inner}
              </Anchor>
            ),
          })}
        </Text>
      )}
      <div className={classes.tools}>
        {editable && (
          <>
            <Tip label={t('Add a node')}>
              <ActionIcon variant="default" onClick={onAdd} aria-label={t('Add a node')}>
                <IconPlus size={18} />
              </ActionIcon>
            </Tip>
            <Tip label={t('Undo')}>
              <ActionIcon onClick={() => store.undo()} disabled={!back} aria-label={t('Undo')} visibleFrom="xs">
                <IconArrowBackUp size={18} />
              </ActionIcon>
            </Tip>
            <Tip label={t('Redo')}>
              <ActionIcon onClick={() => store.redo()} disabled={!forth} aria-label={t('Redo')} visibleFrom="xs">
                <IconArrowForwardUp size={18} />
              </ActionIcon>
            </Tip>
          </>
        )}
        {starts.length > 0 && (
          <Text size="sm" c="dimmed" className={classes.starts} title={starts.map(({ text }) => text).join('; ')}>
            {starts.map(({ text }) => text).join('; ')}
          </Text>
        )}
        {editable && <CopilotButton isOpen={isCopilotOpen} onClick={onCopilot} />}
        <More editable={editable} onVersions={onVersions} onSettings={onSettings} onNote={onNote} />
        <Activation save={save} editable={editable} blocking={blocking} />
        {editable && (
          <Button
            variant="default"
            onClick={() => void save.save()}
            loading={save.saving}
            disabled={!save.dirty || save.gone}
            aria-live="polite"
          >
            {save.dirty ? t('Save') : t('Saved')}
          </Button>
        )}
      </div>
      <Conflict save={save} />
    </div>
  );
}

function Tip({ label, children }: { label: string; children: React.ReactElement }) {
  return (
    <Tooltip label={label} withinPortal={false}>
      {children as React.ReactElement<Record<string, unknown>>}
    </Tooltip>
  );
}

function More({
  editable,
  onVersions,
  onSettings,
  onNote,
}: {
  editable: boolean;
  onVersions: () => void;
  onSettings: () => void;
  onNote: () => void;
}) {
  const store = useStore();
  const { fitView } = useReactFlow();
  const { back, forth } = useSteps();
  const { data: kinds } = useNodeTypes();
  const tidy = async () => {
    await tidyUp(store, kinds ?? new Map());
    setTimeout(() => void fitView({ maxZoom: 1, padding: 0.15 }), 50);
  };
  const download = () => {
    const file = new Blob([JSON.stringify(store.doc, null, 2)], { type: 'application/json' });
    const url = URL.createObjectURL(file);
    const link = document.createElement('a');
    link.href = url;
    link.download = `${store.doc.name.replaceAll(/[^\p{L}\p{N}._ -]/gu, '_').slice(0, 100) || 'workflow'}.json`;
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon aria-label={t('More for this workflow')}>
          <IconDotsVertical size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {editable && (
          <>
            <Menu.Item
              hiddenFrom="xs"
              disabled={!back}
              closeMenuOnClick={false}
              leftSection={<IconArrowBackUp size={16} />}
              onClick={() => store.undo()}
            >
              {t('Undo')}
            </Menu.Item>
            <Menu.Item
              hiddenFrom="xs"
              disabled={!forth}
              closeMenuOnClick={false}
              leftSection={<IconArrowForwardUp size={16} />}
              onClick={() => store.redo()}
            >
              {t('Redo')}
            </Menu.Item>
            <Menu.Item leftSection={<IconNote size={16} />} onClick={onNote}>
              {t('Add a note')}
            </Menu.Item>
            <Menu.Item leftSection={<IconLayoutDistributeHorizontal size={16} />} onClick={() => void tidy()}>
              {t('Tidy up')}
            </Menu.Item>
          </>
        )}
        <Menu.Item leftSection={<IconSettings size={16} />} onClick={onSettings}>
          {t('Settings')}
        </Menu.Item>
        <Menu.Item leftSection={<IconHistory size={16} />} onClick={onVersions}>
          {t('Versions')}
        </Menu.Item>
        <Menu.Item leftSection={<IconDownload size={16} />} onClick={download}>
          {t('Download as JSON')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function Activation({
  save,
  editable,
  blocking,
}: {
  save: Save;
  editable: boolean;
  blocking: readonly AttentionReason[];
}) {
  const store = useStore();
  const client = useQueryClient();
  const active = useEditor((state) => state.active);
  const attention = useEditor((state) => state.attention);
  const id = useEditor((state) => state.id);
  const change = useMutation({
    mutationFn: async (next: boolean) => {
      if (next && !(await save.save())) return { active, attention };
      return setActive(id, next);
    },
    onSuccess: (now) => {
      store.activated(now.active, now.attention);
      void client.invalidateQueries({ queryKey: ['workflows', 'list'] });
    },
    onError: (error) => notifyError(error, active ? t('It cannot be deactivated') : t('It cannot be activated')),
  });
  return (
    <>
      {active && <AttentionMark title={t('Needs attention')} reasons={attention} />}
      {!active && <AttentionMark title={t('It cannot be active yet')} reasons={blocking} />}
      <Switch
        label={active ? t('Active') : t('Inactive')}
        labelPosition="left"
        checked={active}
        disabled={!editable || change.isPending}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
      />
    </>
  );
}

function Gone({ editable }: { editable: boolean }) {
  const store = useStore();
  const navigate = useNavigate();
  const again = useMutation({
    mutationFn: () => createWorkflow(store.doc),
    onSuccess: ({ id }) => {
      store.stored(store.doc, { ...store.get(), doc: store.doc });
      void navigate(`${areaPath('workflows')}/${segment(id)}`);
    },
    onError: (error) => notifyError(error, t('The workflow is not saved')),
  });
  return (
    <Text size="sm" c="var(--jf-bad)" role="status">
      {rich('This workflow was deleted. {anchor}', {
        anchor: editable && (
          <Anchor component="button" type="button" inherit onClick={() => again.mutate()}>
            {t('Save it as a new one')}
          </Anchor>
        ),
      })}
    </Text>
  );
}

function Conflict({ save }: { save: Save }) {
  const { conflict, resolve } = save;
  return (
    <Modal
      opened={conflict !== undefined}
      onClose={() => void resolve(undefined)}
      title={t('Somebody else saved this workflow')}
    >
      <Stack>
        <Text>
          {t(
            'It is now at version {version}. Your changes are still here, unsaved. Jackfield keeps every version, so you lose nothing.',
            { version: conflict?.version },
          )}
        </Text>
        <Group gap="sm" justify="flex-end">
          <Button variant="default" onClick={() => void resolve('theirs')}>
            {t('Load their version')}
          </Button>
          <Button variant="default" onClick={() => void resolve('copy')}>
            {t('Save mine as a copy')}
          </Button>
          <Button onClick={() => void resolve('mine')}>{t('Replace it with mine')}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
