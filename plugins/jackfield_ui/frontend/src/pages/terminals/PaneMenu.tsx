import { ActionIcon, Menu, Text } from '@mantine/core';
import { useState } from 'react';
import { Link as RouterLink } from 'react-router';
import { segment } from '../../api/client';
import type { TerminalSession } from '../../api/types';
import { areaPath } from '../../app/areas';
import { useMay } from '../../app/session';
import { confirm } from '../../components/confirm';
import { notifyDone, notifyError } from '../../components/notify';
import { save } from '../../components/save';
import {
  IconClipboard,
  IconCopy,
  IconDeviceFloppy,
  IconDots,
  IconLayoutBoard,
  IconLayoutColumns,
  IconLayoutRows,
  IconPlayerPlay,
  IconPlayerRecord,
  IconPlayerStop,
  IconPower,
  IconSearch,
  IconShare,
  IconTextDecrease,
  IconTextIncrease,
} from '../../icons/drawn';
import { t } from '../../language/messages';
import type { Link } from './link';
import { type Preferences, SIZES } from './preferences';
import { endSession, startRecording, stopRecording, useSessionAction } from './queries';
import { ShareDialog } from './ShareDialog';
import type { Screen } from './screen';
import type { PaneActions } from './TerminalPane';

/** Everything that can be done with a session that is open. */
export function PaneMenu({
  id,
  name,
  row,
  screen,
  link,
  ended,
  preferences: { fontSize, screenReader },
  onPrefer,
  onFind,
  actions,
}: {
  id: string;
  name: string;
  row: TerminalSession | undefined;
  screen: Screen | undefined;
  link: Link | undefined;
  ended: boolean;
  preferences: Preferences;
  onPrefer: (change: Partial<Preferences>) => void;
  onFind: () => void;
  actions: PaneActions;
}) {
  const writes = useMay('member');
  const [sharing, setSharing] = useState(false);
  const record = useSessionAction(startRecording, id);
  const stop = useSessionAction(stopRecording, id);
  const end = useSessionAction(endSession, id);
  const recording = row?.recording?.state;

  const kill = async () => {
    const body = t('The program in the foreground gets no chance to save anything.');
    if (await confirm({ title: t('Kill what runs in “{name}”?', { name }), body, action: t('Kill') })) link?.signal(9);
  };
  const finish = async () => {
    const body = t('Jackfield asks the agent to stop, and kills it if it does not. You can still read its output.');
    if (await confirm({ title: t('End the session “{name}”?', { name }), body, action: t('End the session') }))
      end.mutate();
  };
  const copy = () => {
    screen?.terminal.focus();
    if (!screen?.terminal.hasSelection()) screen?.terminal.selectAll();
    document.execCommand('copy');
  };
  const paste = async () => {
    try {
      await screen?.paste(await navigator.clipboard.readText());
    } catch {
      notifyError(
        new Error(t('The browser does not let pages read the clipboard; use Ctrl+Shift+V.')),
        t('Not pasted'),
      );
    }
  };
  const larger = (by: number) => onPrefer({ fontSize: fontSize + by });

  return (
    <>
      <Menu width={260} returnFocus>
        <Menu.Target>
          <ActionIcon size="sm" aria-label={t('Menu of {name}', { name })} data-terminal-menu>
            <IconDots size={14} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown mah="70vh" style={{ overflowY: 'auto' }}>
          <Menu.Item leftSection={<IconCopy size={16} />} rightSection={<Key>Ctrl Shift C</Key>} onClick={copy}>
            {t('Copy')}
          </Menu.Item>
          {writes && !ended && (
            <Menu.Item
              leftSection={<IconClipboard size={16} />}
              rightSection={<Key>Ctrl Shift V</Key>}
              onClick={() => void paste()}
            >
              {t('Paste')}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconSearch size={16} />} rightSection={<Key>Ctrl Shift F</Key>} onClick={onFind}>
            {t('Find')}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconDeviceFloppy size={16} />}
            onClick={() => screen && save(screen.text(), `${id.slice(0, 8)}.txt`)}
          >
            {t('Save the output as text')}
          </Menu.Item>
          {actions.onSplit && (
            <>
              <Menu.Divider />
              <Menu.Item
                leftSection={<IconLayoutColumns size={16} />}
                rightSection={<Key>Alt Shift D</Key>}
                onClick={() => actions.onSplit?.('row')}
              >
                {t('Split to the right')}
              </Menu.Item>
              <Menu.Item
                leftSection={<IconLayoutRows size={16} />}
                rightSection={<Key>Alt Shift E</Key>}
                onClick={() => actions.onSplit?.('column')}
              >
                {t('Split downwards')}
              </Menu.Item>
              <Menu.Item leftSection={<IconLayoutBoard size={16} />} onClick={() => actions.onSplitWith?.()}>
                {t('Split with another session…')}
              </Menu.Item>
            </>
          )}
          <Menu.Divider />
          <Menu.Item
            leftSection={<IconTextIncrease size={16} />}
            closeMenuOnClick={false}
            disabled={fontSize >= SIZES.most}
            onClick={() => larger(1)}
          >
            {t('Larger text')}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconTextDecrease size={16} />}
            closeMenuOnClick={false}
            disabled={fontSize <= SIZES.least}
            onClick={() => larger(-1)}
          >
            {t('Smaller text')}
          </Menu.Item>
          <Menu.CheckboxItem checked={screenReader} onChange={(checked) => onPrefer({ screenReader: checked })}>
            {t('For a screen reader')}
          </Menu.CheckboxItem>
          <Menu.Divider />
          {writes && !ended && !recording && (
            <Menu.Item leftSection={<IconPlayerRecord size={16} />} onClick={() => record.mutate()}>
              {t('Record')}
            </Menu.Item>
          )}
          {writes && recording === 'recording' && (
            <Menu.Item leftSection={<IconPlayerStop size={16} />} onClick={() => stop.mutate()}>
              {t('Stop recording')}
            </Menu.Item>
          )}
          {recording && (
            <Menu.Item
              leftSection={<IconPlayerPlay size={16} />}
              component={RouterLink}
              to={`${areaPath('terminals')}/${segment(id)}/recording`}
            >
              {t('Play the recording')}
            </Menu.Item>
          )}
          {writes && (
            <Menu.Item leftSection={<IconShare size={16} />} onClick={() => setSharing(true)}>
              {t('Share a link to look')}
            </Menu.Item>
          )}
          {writes && !ended && (
            <>
              <Menu.Divider />
              <Menu.Label>{t('Signals to the foreground')}</Menu.Label>
              <Menu.Item onClick={() => link?.signal(2)}>{t('Interrupt')}</Menu.Item>
              <Menu.Item onClick={() => link?.signal(1)}>{t('Hang up')}</Menu.Item>
              <Menu.Item onClick={() => void kill()}>{t('Kill…')}</Menu.Item>
              <Menu.Divider />
              <Menu.Item c="var(--jf-bad)" leftSection={<IconPower size={16} />} onClick={() => void finish()}>
                {t('End the session…')}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {sharing && (
        <ShareDialog
          id={id}
          name={name}
          onClose={() => setSharing(false)}
          onEnded={() => notifyDone(t('All links to the session have ended.'))}
        />
      )}
    </>
  );
}

function Key({ children }: { children: string }) {
  return (
    <Text size="xs" c="dimmed" aria-hidden="true">
      {children}
    </Text>
  );
}
