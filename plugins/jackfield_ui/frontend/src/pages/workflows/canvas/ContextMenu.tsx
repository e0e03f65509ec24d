import { ColorSwatch, Group, Menu } from '@mantine/core';
import { useReactFlow } from '@xyflow/react';
import type { ComponentType, ReactNode } from 'react';
import { keysOf } from '../../../app/shortcuts';
import { notifyDone, notifyError } from '../../../components/notify';
import {
  IconArrowBackUp,
  IconClipboard,
  IconCopy,
  IconCopyPlus,
  IconCursorText,
  IconLayoutDistributeHorizontal,
  IconLink,
  IconMaximize,
  IconNote,
  IconPencil,
  IconPin,
  IconPinnedOff,
  IconPlayerTrackNext,
  IconPlus,
  IconPower,
  IconRefresh,
  IconSelectAll,
  IconTrash,
} from '../../../icons/drawn';
import { t } from '../../../language/messages';
import { useLiveRun } from '../live/context';
import type { DataOf } from '../live/useLive';
import { isSticky, kindOf } from '../model/document';
import { type EditorStore, presentDoc, useEditor, useSteps, useStore } from '../model/store';
import type { Execution, NodeType } from '../queries';
import * as commands from './commands';
import type { Place, Wanted } from './edits';
import classes from './menu.module.css';
import note from './note.module.css';

/** Where the menu is open, and for which node; without a name for the canvas. */
export interface MenuAt {
  /** On the screen. */
  x: number;
  y: number;
  name?: string | undefined;
}

export interface MenuActions {
  editable: boolean;
  kinds: ReadonlyMap<string, NodeType>;
  onWanted: (wanted: Wanted) => void;
  onRename: (name: string) => void;
  onConnect: (name: string) => void;
  /** Runs no further than this node. */
  onRunTo: (name: string, data: DataOf) => void;
  onWrite: (name: string) => void;
}

/** What the right mouse button, the menu key and Shift+F10 open. */
export function ContextMenu({ at, onClose, ...actions }: { at: MenuAt; onClose: () => void } & MenuActions) {
  return (
    <Menu opened onClose={onClose} position="bottom-start" offset={2} returnFocus={false} loop trapFocus shadow="md">
      <Menu.Target>
        <button
          type="button"
          tabIndex={-1}
          aria-label={t('Actions')}
          className={classes.menuPoint}
          style={{ left: at.x, top: at.y }}
        />
      </Menu.Target>
      <Menu.Dropdown data-testid="canvas-menu">
        {at.name === undefined ? <OfCanvas at={at} {...actions} /> : <OfNode name={at.name} {...actions} />}
      </Menu.Dropdown>
    </Menu>
  );
}

function Item({
  icon: Icon,
  keys,
  children,
  ...more
}: {
  icon: ComponentType<{ size?: number }>;
  keys?: string;
  onClick: () => void;
  disabled?: boolean;
  c?: string;
  children: ReactNode;
}) {
  return (
    <Menu.Item
      leftSection={<Icon size={16} />}
      rightSection={keys && <span className={classes.menuKeys}>{keysOf(keys).join('+')}</span>}
      {...more}
    >
      {children}
    </Menu.Item>
  );
}

function OfNode({ name, editable, kinds, onRename, onConnect, onRunTo, onWrite }: { name: string } & MenuActions) {
  const store = useStore();
  const doc = useEditor(presentDoc);
  const { execution, reusable } = useLiveRun();
  const selection = useEditor((state) => state.selection);
  const node = doc.nodes.find((one) => one.name === name);
  if (!node) return null;
  const names = selection.has(name) ? selection : new Set([name]);
  const one = names.size === 1;
  const sticky = isSticky(node);
  const nodes = names.size;
  const kind = kinds.get(kindOf(node.type));
  const inTurn = !sticky && !node.disabled && !kind?.provides;
  return (
    <>
      {one && !sticky && (
        <Item icon={IconPencil} keys="Enter" onClick={() => store.open(name)}>
          {t('Open')}
        </Item>
      )}
      {one && sticky && editable && (
        <Item icon={IconPencil} onClick={() => onWrite(name)}>
          {t('Write')}
        </Item>
      )}
      {one && inTurn && editable && (
        <Item icon={IconPlayerTrackNext} onClick={() => onRunTo(name, 'last')}>
          {t('Run to here')}
        </Item>
      )}
      {one && inTurn && editable && reusable !== undefined && (
        <Item icon={IconRefresh} onClick={() => onRunTo(name, 'fresh')}>
          {t('Run to here with fresh data')}
        </Item>
      )}
      {one && editable && !sticky && (
        <Item icon={IconCursorText} keys="F2" onClick={() => onRename(name)}>
          {t('Rename')}
        </Item>
      )}
      {one && editable && !sticky && (
        <Item icon={IconLink} keys="C" onClick={() => onConnect(name)}>
          {t('Connect…')}
        </Item>
      )}
      {editable && (
        <Item icon={IconCopyPlus} keys="mod+D" onClick={() => commands.duplicate(store, names)}>
          {one ? t('Duplicate') : t('Duplicate {nodes} nodes', { nodes })}
        </Item>
      )}
      <Item icon={IconCopy} keys="mod+C" onClick={() => copy(store, names)}>
        {one ? t('Copy') : t('Copy {nodes} nodes', { nodes })}
      </Item>
      {editable && !(one && sticky) && (
        <Item icon={IconPower} keys="D" onClick={() => commands.disable(store, names)}>
          {one
            ? node.disabled
              ? t('Enable')
              : t('Disable')
            : node.disabled
              ? t('Enable {nodes} nodes', { nodes })
              : t('Disable {nodes} nodes', { nodes })}
        </Item>
      )}
      {one && editable && !sticky && (
        <Item
          icon={commands.isPinned(store, name) ? IconPinnedOff : IconPin}
          keys="P"
          onClick={() => pin(store, name, execution)}
        >
          {commands.isPinned(store, name) ? t('Unpin its data') : t('Pin its last output')}
        </Item>
      )}
      {sticky && editable && <Colours onChoose={(color) => commands.colour(store, names, color)} />}
      {editable && (
        <>
          <Menu.Divider />
          <Item icon={IconTrash} keys="Delete" c="var(--jf-bad)" onClick={() => commands.remove(store, names)}>
            {one ? t('Delete') : t('Delete {nodes} nodes', { nodes })}
          </Item>
        </>
      )}
    </>
  );
}

const COLOURS = [t('Yellow'), t('Orange'), t('Red'), t('Green'), t('Blue'), t('Violet'), t('Grey')];

function Colours({ onChoose }: { onChoose: (color: number) => void }) {
  return (
    <Group gap={4} px="sm" py={4} role="presentation">
      {COLOURS.map((label, index) => (
        <Menu.Item
          key={label}
          p={3}
          w="auto"
          aria-label={t('{colour} note', { colour: label })}
          onClick={() => onChoose(index + 1)}
        >
          <ColorSwatch
            component="span"
            size={18}
            color="var(--sticky-back)"
            className={note.hued ?? ''}
            data-colour={index + 1}
          />
        </Menu.Item>
      ))}
    </Group>
  );
}

function OfCanvas({ at, editable, kinds, onWanted }: { at: MenuAt } & MenuActions) {
  const store = useStore();
  const { back } = useSteps();
  const empty = useEditor((state) => presentDoc(state).nodes.length === 0);
  const { screenToFlowPosition, fitView } = useReactFlow();
  const place = screenToFlowPosition(at);
  const fitted = () => setTimeout(() => void fitView({ maxZoom: 1, padding: 0.15 }), 50);
  return (
    <>
      {editable && (
        <>
          <Item icon={IconPlus} keys="N" onClick={() => onWanted({ at: place })}>
            {t('Add a node')}
          </Item>
          <Item icon={IconNote} keys="shift+N" onClick={() => commands.addNote(store, place)}>
            {t('Add a note')}
          </Item>
          <Item icon={IconClipboard} keys="mod+V" onClick={() => void pasteAt(store, place)}>
            {t('Paste')}
          </Item>
          <Menu.Divider />
          <Item icon={IconArrowBackUp} keys="mod+Z" disabled={!back} onClick={() => store.undo()}>
            {t('Undo')}
          </Item>
        </>
      )}
      <Item icon={IconSelectAll} keys="mod+A" disabled={empty} onClick={() => commands.selectAll(store)}>
        {t('Select all')}
      </Item>
      {editable && (
        <Item
          icon={IconLayoutDistributeHorizontal}
          disabled={empty}
          onClick={() => void commands.tidyUp(store, kinds).then(fitted)}
        >
          {t('Tidy up')}
        </Item>
      )}
      <Item icon={IconMaximize} keys="1" disabled={empty} onClick={fitted}>
        {t('Fit into view')}
      </Item>
    </>
  );
}

/** Pins what the node gave last, or takes the pin out. */
export function pin(store: EditorStore, name: string, execution: Execution | undefined): void {
  if (commands.isPinned(store, name)) {
    commands.setPin(store, name, undefined);
    return;
  }
  commands.lastOutput(store.doc, name, execution).then(
    (items) => commands.setPin(store, name, items),
    (error: unknown) => notifyError(error, t('Nothing is pinned')),
  );
}

/** Only pages of a secure address may use the clipboard by themselves; the others have the keys. */
function copy(store: EditorStore, names: ReadonlySet<string>): void {
  const told = () =>
    notifyDone(t('{names, plural, one {Copied 1 node.} other {Copied # nodes.}}', { names: names.size }));
  const refused = () =>
    notifyError(
      new Error(t('Press {keysOf} instead.', { keysOf: keysOf('mod+C').join('+') })),
      t('It cannot be copied'),
    );
  if (!navigator.clipboard) refused();
  else navigator.clipboard.writeText(commands.copied(store.doc, names)).then(told, refused);
}

async function pasteAt(store: EditorStore, at: Place): Promise<void> {
  try {
    const names = commands.paste(store, await navigator.clipboard.readText(), at);
    if (!names) throw new Error(t('The clipboard holds neither a workflow nor nodes.'));
    notifyDone(t('{names, plural, one {Pasted 1 node.} other {Pasted # nodes.}}', { names: names.length }));
  } catch (error) {
    const known = error instanceof Error && error.name === 'Error';
    notifyError(
      known ? error : new Error(t('Press {keysOf} instead.', { keysOf: keysOf('mod+V').join('+') })),
      t('Nothing is pasted'),
    );
  }
}
