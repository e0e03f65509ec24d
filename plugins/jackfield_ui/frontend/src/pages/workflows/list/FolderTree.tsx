import { ActionIcon, Menu, NavLink, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { areaPath } from '../../../app/areas';
import { confirm } from '../../../components/confirm';
import { notifyError } from '../../../components/notify';
import { TextDialog, type TextQuestion } from '../../../components/TextDialog';
import { IconDotsVertical, IconFolder, IconFolderOpen, IconFolderPlus, IconStack2 } from '../../../icons/drawn';
import { t } from '../../../language/messages';
import { branches, changeFolder, deleteFolder, type Folder, makeFolder, within } from './folders';
import classes from './list.module.css';
import { MoveTo } from './MoveTo';

const PATH = areaPath('workflows');

/** The tree beside the list. Each folder is a link; `editable`: with what may be done to it. */
export function FolderTree({
  folders,
  chosen,
  editable,
  onGone,
}: {
  folders: readonly Folder[];
  chosen: string | null;
  editable: boolean;
  /** The chosen folder was deleted. */
  onGone: () => void;
}) {
  return (
    <nav aria-label={t('Folders')} className={classes.tree}>
      <NavLink
        component={Link}
        to={PATH}
        label={t('All workflows')}
        active={chosen === null}
        leftSection={<IconStack2 size={16} aria-hidden="true" />}
        {...(chosen === null ? { 'aria-current': 'page' as const } : {})}
      />
      <Stack gap={0} component="ul" className={classes.branches}>
        {branches(folders).map(({ folder, level }) => (
          <li key={folder.id} className={classes.branch} style={{ paddingInlineStart: `${level * 14}px` }}>
            <NavLink
              component={Link}
              to={`${PATH}?folder=${folder.id}`}
              label={folder.name}
              active={chosen === folder.id}
              leftSection={
                chosen === folder.id ? (
                  <IconFolderOpen size={16} aria-hidden="true" />
                ) : (
                  <IconFolder size={16} aria-hidden="true" />
                )
              }
              rightSection={
                <Text
                  size="xs"
                  c="dimmed"
                  aria-label={t('{workflowCount} workflows', { workflowCount: folder.workflowCount })}
                >
                  {folder.workflowCount}
                </Text>
              }
              {...(chosen === folder.id ? { 'aria-current': 'page' as const } : {})}
            />
            {editable && (
              <FolderMenu folder={folder} folders={folders} onGone={() => chosen === folder.id && onGone()} />
            )}
          </li>
        ))}
      </Stack>
    </nav>
  );
}

/** Asks for a name, and makes a folder. */
export function newFolder(parent: Folder | undefined, done: () => void): TextQuestion {
  return {
    title: parent ? t('New folder in “{name}”', { name: parent.name }) : t('New folder'),
    label: t('Name'),
    action: t('Create'),
    run: async (name) => {
      await makeFolder(name, parent?.id ?? null);
      done();
    },
  };
}

function FolderMenu({ folder, folders, onGone }: { folder: Folder; folders: readonly Folder[]; onGone: () => void }) {
  const client = useQueryClient();
  const [question, setQuestion] = useState<TextQuestion>();
  const [moving, setMoving] = useState(false);
  const reread = () => void client.invalidateQueries({ queryKey: ['workflows'] });
  const change = async (next: { name?: string; parentId?: string | null }) => {
    await changeFolder(folder.id, next);
    reread();
  };
  const remove = async () => {
    const body = t('Its contents move to the folder above. No workflow is deleted.');
    if (!(await confirm({ title: t('Delete the folder “{name}”?', { name: folder.name }), body, action: t('Delete') })))
      return;
    try {
      await deleteFolder(folder.id);
      onGone();
    } catch (error) {
      notifyError(error, t('“{name}” cannot be deleted', { name: folder.name }));
    }
    reread();
  };
  const rename: TextQuestion = {
    title: t('Rename “{name}”', { name: folder.name }),
    label: t('Name'),
    initial: folder.name,
    action: t('Rename'),
    run: (name) => change({ name }),
  };
  return (
    <>
      <Menu>
        <Menu.Target>
          <ActionIcon size="sm" aria-label={t('Actions for the folder “{name}”', { name: folder.name })}>
            <IconDotsVertical size={14} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconFolderPlus size={16} />} onClick={() => setQuestion(newFolder(folder, reread))}>
            {t('New folder inside')}
          </Menu.Item>
          <Menu.Item onClick={() => setQuestion(rename)}>{t('Rename')}</Menu.Item>
          <Menu.Item onClick={() => setMoving(true)}>{t('Move')}</Menu.Item>
          <Menu.Divider />
          <Menu.Item c="var(--jf-bad)" onClick={() => void remove()}>
            {t('Delete')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {question && <TextDialog question={question} onClose={() => setQuestion(undefined)} />}
      {moving && (
        <MoveTo
          title={t('Move “{name}”', { name: folder.name })}
          present={folder.parentId}
          barred={within(folders, folder.id)}
          run={(parentId) => change({ parentId })}
          onClose={() => setMoving(false)}
        />
      )}
    </>
  );
}
