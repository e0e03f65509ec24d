import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useReactFlow } from '@xyflow/react';
import { lazy, useCallback, useMemo, useState } from 'react';
import { useShortcuts } from '../../app/shortcuts';
import { useTitle } from '../../app/title';
import { notifyError } from '../../components/notify';
import { useBelonging } from '../../components/projects/rights';
import { IconPlus } from '../../icons/drawn';
import { t } from '../../language/messages';
import { Beside } from './Beside';
import { Canvas } from './canvas/Canvas';
import { pin } from './canvas/ContextMenu';
import * as commands from './canvas/commands';
import { added, type Wanted } from './canvas/edits';
import { Ids } from './canvas/flow';
import { Palette } from './canvas/Palette';
import { behindSelected, placeFor } from './canvas/placing';
import { Rename } from './canvas/Rename';
import classes from './editor.module.css';
import { Header } from './Header';
import { LiveContext } from './live/context';
import { RunBar } from './live/RunBar';
import { useExecutionData } from './live/useExecutionData';
import { type DataOf, useLive } from './live/useLive';
import { useProblems } from './live/useProblems';
import { type DocNode, isSticky, kindOf, positionOf } from './model/document';
import { NO_MARKS } from './model/marks';
import { presentDoc, renameIn, useEditor, useStore } from './model/store';
import { type NodeType, type Part, type Saved, useNodeTypes } from './queries';
import { useCopilot, useDraftInSight } from './useCopilot';
import { useSave } from './useSave';

/** Kinds that a chat message starts. */
const CHATS = new Set(['langchain.chatTrigger']);
const CANNOT_RUN = t('The workflow cannot run');
const NodePanel = lazy(() => import('./panel/NodePanel'));
const CopilotPanel = lazy(() => import('./copilot/CopilotPanel'));
const ChatPanel = lazy(() => import('./chat/ChatPanel'));
const Connect = lazy(() => import('./canvas/Connect'));
const Versions = lazy(() => import('./Versions'));
const SettingsDialog = lazy(() => import('./settings/SettingsDialog'));

/** The canvas with what is around it. */
export function Workbench({ newest }: { newest: Saved }) {
  const store = useStore();
  const id = useEditor((state) => state.id);
  const doc = useEditor(presentDoc);
  const opened = useEditor((state) => state.opened);
  const { data: kinds } = useNodeTypes();
  const editable = useBelonging('workflow', [id]).may(id, 'write');
  const narrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  const coarse = useMediaQuery('(pointer: coarse)', false, { getInitialValueInEffect: false });
  const touch = Boolean(narrow || coarse);
  const [wanted, setWanted] = useState<Wanted>();
  const [versions, setVersions] = useState(false);
  const [settings, setSettings] = useState(false);
  /** undefined: it was not opened yet. A chat that is closed keeps what was said. */
  const [chatting, setChatting] = useState<boolean>();
  const [renaming, setRenaming] = useState<string>();
  const [connecting, setConnecting] = useState<string>();
  const live = useLive(id);
  const problems = useProblems(id, doc);
  useExecutionData(live, editable);
  const copilot = useCopilot(live, editable);
  const save = useSave(newest);
  const ids = useMemo(() => new Ids(), []);
  const { screenToFlowPosition, flowToScreenPosition, setCenter, getZoom, fitView } = useReactFlow();
  useTitle(doc.name || t('Workflow'));
  useDraftInSight(copilot);

  const known = useMemo(() => kinds ?? new Map<string, NodeType>(), [kinds]);
  const marks = copilot.overlay?.nodes ?? NO_MARKS;
  const facts = useMemo(
    () => ({ kinds: known, states: live.progress, problems: problems.byNode, marks }),
    [known, live.progress, problems.byNode, marks],
  );

  const middle = () => {
    const bounds = document.querySelector('.react-flow')?.getBoundingClientRect();
    return screenToFlowPosition({
      x: (bounds?.left ?? 0) + (bounds?.width ?? 800) * (store.doc.nodes.length ? 0.5 : 0.2) - 48,
      y: (bounds?.top ?? 0) + (bounds?.height ?? 600) / 2 - 48,
    });
  };
  const add = (kind: NodeType, asked: Wanted) => {
    const wanted = behindSelected(store.doc, known, kind, asked, only());
    const { doc: roomy, at } = placeFor(store.doc, known, kind, wanted, middle());
    const made = added(roomy, kind, at, wanted);
    store.commit(() => made.doc);
    store.select([made.name]);
    setWanted(undefined);
    show(made.doc.nodes.at(-1));
    if (kind.kind !== 'stickyNote') store.open(made.name);
  };
  /** A node that was put out of sight is brought into it. */
  const show = (node: DocNode | undefined) => {
    const at = node && positionOf(node);
    const bounds = document.querySelector('.react-flow')?.getBoundingClientRect();
    if (!at || !bounds) return;
    const { x, y } = flowToScreenPosition(at);
    const zoom = getZoom();
    const side = 140 * zoom;
    if (x < bounds.left || y < bounds.top || x + side > bounds.right || y + side > bounds.bottom) {
      void setCenter(at.x + 48, at.y + 48, { zoom });
    }
  };
  const want = useCallback((asked: Wanted) => setWanted(asked), []);
  const rename = (from: string, to: string) => {
    ids.rename(from, to);
    live.renamed(from, to);
  };

  const chats = doc.nodes.filter((node) => CHATS.has(kindOf(node.type)) && !node.disabled);
  const selected = () => store.get().selection;
  const only = () => (selected().size === 1 ? [...selected()][0] : undefined);
  const running = live.status === 'running' || live.status === 'queued';
  const run = async (part?: Part) => {
    if (running || !(await save.save())) return;
    await live.run(part);
  };
  const runTo = (until: string, data: DataOf) =>
    void run({ until, reuse: data === 'last' ? live.reusable : undefined }).catch((error: unknown) =>
      notifyError(error, CANNOT_RUN),
    );
  const renamed = (to: string) => {
    if (renaming !== undefined) renameIn(store, renaming, to, rename);
  };
  const askName = (name = only()) => {
    const node = store.doc.nodes.find((one) => one.name === name);
    if (node && !isSticky(node)) setRenaming(node.name);
  };
  const askTarget = (name = only()) => {
    const node = store.doc.nodes.find((one) => one.name === name);
    if (node && !isSticky(node)) setConnecting(node.name);
  };
  const note = () => {
    const bounds = document.querySelector('.react-flow')?.getBoundingClientRect();
    commands.addNote(store, screenToFlowPosition({ x: (bounds?.left ?? 0) + 96, y: (bounds?.top ?? 0) + 96 }));
  };
  const closeAll = () => {
    store.open(undefined);
    setRenaming(undefined);
    setConnecting(undefined);
    setSettings(false);
    setVersions(false);
  };
  const drop = (event: KeyboardEvent) => commands.remove(store, selected(), commands.deleting(event));

  useShortcuts([
    ...(editable
      ? [
          { keys: 'mod+S', label: t('Save'), run: () => void save.save(), inFields: true },
          {
            keys: 'mod+Enter',
            label: t('Save and run'),
            run: () => void run().catch((error: unknown) => notifyError(error, CANNOT_RUN)),
            inFields: true,
          },
        ]
      : []),
    ...(opened === undefined && !versions && !settings
      ? [
          { keys: 'mod+A', label: t('Select all nodes'), run: () => commands.selectAll(store) },
          { keys: '1', label: t('Fit the workflow into view'), run: () => void fitView({ maxZoom: 1, padding: 0.15 }) },
        ]
      : []),
    ...(opened === undefined && !versions && !settings && editable
      ? [
          { keys: 'mod+Z', label: t('Undo'), run: () => store.undo() },
          { keys: 'mod+shift+Z', label: t('Redo'), run: () => store.redo() },
          { keys: 'mod+Y', label: t('Redo'), run: () => store.redo() },
          { keys: 'mod+D', label: t('Duplicate the selected nodes'), run: () => commands.duplicate(store, selected()) },
          { keys: 'N', label: t('Add a node'), run: () => setWanted({}) },
          { keys: 'shift+N', label: t('Add a note'), run: note },
          { keys: 'C', label: t('Connect the selected node'), run: () => askTarget() },
          { keys: 'F2', label: t('Rename the selected node'), run: () => askName() },
          {
            keys: 'D',
            label: t('Disable or enable the selected nodes'),
            run: () => commands.disable(store, selected()),
          },
          {
            keys: 'P',
            label: t('Pin or unpin the output of the selected node'),
            run: () => only() !== undefined && pin(store, only() ?? '', live.execution),
          },
          { keys: 'Delete', label: t('Delete the selected nodes'), run: drop },
          { keys: 'Backspace', label: t('Delete the selected nodes'), run: drop },
        ]
      : []),
  ]);

  return (
    <LiveContext value={live}>
      <div className={classes.editor}>
        <Header
          newest={newest}
          save={save}
          editable={editable}
          blocking={problems.all.filter(({ severity }) => severity === 'activation')}
          onVersions={() => setVersions(true)}
          onSettings={() => setSettings(true)}
          starts={problems.starts}
          onAdd={() => setWanted({})}
          onNote={note}
          onCopilot={() => copilot.setOpen(!copilot.isOpen)}
          isCopilotOpen={copilot.isOpen}
        />
        <div className={classes.work} data-beside={copilot.isOpen || undefined}>
          <Canvas
            facts={facts}
            ids={ids}
            editable={editable}
            touch={touch}
            onWanted={want}
            onAdd={add}
            onRunTo={runTo}
            onRename={askName}
            onConnect={askTarget}
            overlay={copilot.overlay}
            onMark={copilot.ask}
          >
            {editable && !(copilot.isOpen && narrow) && (
              <RunBar kinds={known} run={run} save={save} onChat={chats.length ? () => setChatting(true) : undefined} />
            )}
          </Canvas>
          {doc.nodes.length === 0 && !wanted && !copilot.overlay && (
            <div className={classes.empty}>
              {editable ? (
                <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={() => setWanted({})}>
                  {t('Add the first node')}
                </Button>
              ) : (
                t('This workflow has no nodes.')
              )}
              {editable && <p>{t('Or paste a workflow that you have copied in n8n.')}</p>}
            </div>
          )}
          {chatting !== undefined && chats.length > 0 && (
            <Beside at="chat" onClose={() => setChatting(undefined)}>
              <ChatPanel hidden={!chatting} triggers={chats} save={save} onClose={() => setChatting(false)} />
            </Beside>
          )}
          {copilot.isOpen && (
            <Beside at="copilot" onClose={() => copilot.setOpen(false)}>
              <CopilotPanel
                draft={copilot.draft}
                onDraft={copilot.setDraft}
                asked={copilot.asked}
                onOverlay={copilot.setOverlay}
                onShow={(name) => show((copilot.overlay?.doc ?? doc).nodes.find((node) => node.name === name))}
                onClose={() => copilot.setOpen(false)}
              />
            </Beside>
          )}
          {wanted && (
            <Palette
              kinds={known}
              wanted={wanted}
              onChoose={(kind) => add(kind, wanted)}
              onClose={() => setWanted(undefined)}
            />
          )}
        </div>
      </div>
      <Beside at={[opened, renaming, connecting, settings, versions].join('\n')} onClose={closeAll}>
        {opened !== undefined && (
          <NodePanel
            key="panel"
            name={opened}
            problems={problems}
            editable={editable}
            onRenamed={rename}
            run={run}
            onRunTo={runTo}
          />
        )}
        {renaming !== undefined && <Rename name={renaming} onRename={renamed} onClose={() => setRenaming(undefined)} />}
        {settings && <SettingsDialog editable={editable} onClose={() => setSettings(false)} />}
        {connecting !== undefined && (
          <Connect name={connecting} kinds={known} onClose={() => setConnecting(undefined)} />
        )}
        {versions && <Versions onClose={() => setVersions(false)} editable={editable} />}
      </Beside>
    </LiveContext>
  );
}
