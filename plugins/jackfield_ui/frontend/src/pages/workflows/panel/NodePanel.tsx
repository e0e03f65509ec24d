import { ActionIcon, Button, Group, Menu, Modal, Stack, Tabs, Text, TextInput, Title } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type ReactNode, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { fetchEditor } from '../../../components/CodeEditor';
import { notifyError } from '../../../components/notify';
import { SplitPane } from '../../../components/SplitPane';
import {
  IconChevronDown,
  IconHelp,
  IconPlayerPlay,
  IconPlayerTrackNext,
  IconRefresh,
  IconX,
} from '../../../icons/drawn';
import { t } from '../../../language/messages';
import { Picture } from '../canvas/Picture';
import { useLiveRun } from '../live/context';
import type { DataOf } from '../live/useLive';
import type { Problems } from '../live/useProblems';
import { type Source, sourcesOf } from '../model/data';
import { type Doc, type DocNode, isSticky, kindOf, parametersOf, wiresOf } from '../model/document';
import { helpAddress } from '../model/help';
import { shapeOf } from '../model/shape';
import { presentDoc, renameIn, useEditor, useStore } from '../model/store';
import { useNodeTypes, useVariables } from '../queries';
import { PanelContext, type PanelState } from './context';
import type { KnownNode } from './expression/types';
import { InputPane } from './InputPane';
import { NodeSettings } from './NodeSettings';
import { OutputPane } from './OutputPane';
import { Parameters } from './Parameters';
import classes from './panel.module.css';

interface Running {
  problems: Problems;
  editable: boolean;
  onRenamed: (from: string, to: string) => void;
  run: () => Promise<void>;
  /** Runs no further than the node. */
  onRunTo: (name: string, data: DataOf) => void;
}

/** One node: what comes in on the left, what it does in the middle, what comes out on the right. */
export default function NodePanel({ name, problems, editable, onRenamed, run, onRunTo }: { name: string } & Running) {
  const store = useStore();
  const doc = useEditor(presentDoc);
  const node = doc.nodes.find((one) => one.name === name);
  const narrow = useMediaQuery('(max-width: 62em)', false, { getInitialValueInEffect: false });
  const close = () => {
    // What is being typed is taken first.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    store.open(undefined);
  };
  useEscape(close);
  useEffect(fetchEditor, []);
  if (!node) return null;
  return (
    <Modal.Root
      opened
      onClose={close}
      size="min(96rem, calc(100vw - 3rem))"
      fullScreen={Boolean(narrow)}
      centered
      padding={0}
      closeOnEscape={false}
    >
      <Modal.Overlay backgroundOpacity={0.45} />
      <Modal.Content classNames={{ content: classes.dialog }} aria-label={t('Node {name}', { name })} data-node-panel>
        <Content
          key={name}
          node={node}
          narrow={Boolean(narrow)}
          {...{ problems, editable, onRenamed, run, onRunTo, close }}
        />
      </Modal.Content>
    </Modal.Root>
  );
}

/** Wherever the focus is; before a list of choices closes by the same key. */
function useEscape(close: () => void): void {
  const onEscape = useEffectEvent((event: KeyboardEvent) => {
    if (event.key === 'Escape' && !event.isComposing && !isOthers(event.target)) close();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onEscape(event);
    window.addEventListener('keydown', listener, { capture: true });
    return () => window.removeEventListener('keydown', listener, { capture: true });
  }, []);
}

/** In an editor Escape only lets Tab leave it; a list of choices and another dialog close by it. */
function isOthers(target: EventTarget | null): boolean {
  const element = target instanceof Element ? target : document.body;
  const dialog = element.closest('[role="dialog"], [role="alertdialog"]');
  if (dialog ? !dialog.hasAttribute('data-node-panel') : document.querySelectorAll('[role$="dialog"]').length > 1) {
    return true;
  }
  return element.closest('.cm-editor, [role="listbox"], [role="menu"], [aria-expanded="true"]') !== null;
}

function Content({
  node,
  narrow,
  problems,
  editable,
  onRenamed,
  run,
  onRunTo,
  close,
}: { node: DocNode; narrow: boolean; close: () => void } & Running) {
  const doc = useEditor(presentDoc);
  const { execution } = useLiveRun();
  const { data: kinds } = useNodeTypes();
  const variables = useVariables();
  const [asked, setItem] = useState(0);
  const kind = kinds?.get(kindOf(node.type));
  const sources = useMemo(() => sourcesOf(doc, execution, node.name), [doc, execution, node.name]);
  const main = sources.find(({ input }) => input === 0);
  const first = main?.items;
  const item = Math.max(0, Math.min(asked, (main?.total ?? 1) - 1));
  const shape = useMemo(() => shapeOf(node, kind, wiresOf(doc.connections)), [node, kind, doc.connections]);
  const state = useMemo<PanelState>(
    () => ({
      node: node.name,
      parameters: parametersOf(node),
      item,
      onItem: setItem,
      count: main?.total ?? 0,
      execution,
      sources,
      input: first ?? [],
      current: first?.[item],
      nodes: knownNodes(doc, sources, node.name),
      variables: variables.data ?? [],
      editable,
    }),
    [node, item, execution, sources, first, main, doc, variables.data, editable],
  );
  const trigger = shape.look === 'trigger';
  const panes: [string, string, ReactNode][] = [
    ...(trigger
      ? []
      : [
          ['input', t('Input'), <InputPane key="input" sources={sources} item={item} onItem={setItem} />] as [
            string,
            string,
            ReactNode,
          ],
        ]),
    ['node', t('Parameters'), <Middle key="node" node={node} problems={problems} editable={editable} />],
    ['output', t('Output'), <OutputPane key="output" name={node.name} labels={shape.outputs} execution={execution} />],
  ];
  return (
    <PanelContext value={state}>
      <div className={classes.head}>
        <Picture
          type={node.type}
          group={kind?.group ?? 'unknown'}
          name={kind?.displayName ?? node.name}
          icon={kind?.icon}
          size={22}
        />
        <Name node={node} editable={editable} onRenamed={onRenamed} />
        {editable && (
          <RunNode
            onRun={() => run().catch((error: unknown) => notifyError(error, t('The workflow cannot run')))}
            onRunTo={node.disabled || kind?.provides ? undefined : (data) => onRunTo(node.name, data)}
          />
        )}
        {kind && <Help address={helpAddress(kind.kind, kind.help)} name={kind.displayName} />}
        <ActionIcon onClick={close} aria-label={t('Close the node')}>
          <IconX size={18} />
        </ActionIcon>
      </div>
      {narrow ? (
        <Tabs defaultValue="node" keepMounted={false} className={classes.tabs}>
          <Tabs.List>
            {panes.map(([key, label]) => (
              <Tabs.Tab key={key} value={key}>
                {key === 'node' ? t('Node') : label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {panes.map(([key, , pane]) => (
            <Tabs.Panel key={key} value={key} p="md">
              {pane}
            </Tabs.Panel>
          ))}
        </Tabs>
      ) : (
        <div className={classes.panes}>
          <Beside panes={panes.map(([key, label, pane]) => ({ key, label, pane }))} />
        </div>
      )}
    </PanelContext>
  );
}

/** Beside the editor, whose changes may not be saved. */
function Help({ address, name }: { address: string; name: string }) {
  return (
    <ActionIcon
      component="a"
      href={address}
      target="_blank"
      rel="noopener noreferrer"
      aria-label={t('Help for {name}', { name })}
    >
      <IconHelp size={18} />
    </ActionIcon>
  );
}

interface Pane {
  key: string;
  label: string;
  pane: ReactNode;
}

/** Per cent of the first pane of two and of three. */
const SHARES = [50, 53, 32];

/** Two or three panes with bars between them that can be moved. */
function Beside({ panes: [first, ...others] }: { panes: readonly Pane[] }): ReactNode {
  if (!first) return null;
  const section = (
    <section className={classes.pane} data-pane={first.key} aria-label={first.label}>
      {first.key !== 'node' && (
        <Title order={2} mb="sm">
          {first.label}
        </Title>
      )}
      {first.pane}
    </section>
  );
  if (!others.length) return section;
  return (
    <SplitPane
      name={`node-${first.key}`}
      initial={SHARES[others.length] ?? 50}
      label={t('Width of {label}', { label: first.label })}
    >
      {section}
      <Beside panes={others} />
    </SplitPane>
  );
}

/** The whole workflow, or as far as this node. */
function RunNode({
  onRun,
  onRunTo,
}: {
  onRun: () => void;
  /** undefined: the node does not run in turn. */
  onRunTo: ((data: DataOf) => void) | undefined;
}) {
  const { status, reusable } = useLiveRun();
  const run = (
    <Button
      variant="default"
      leftSection={<IconPlayerPlay size={16} aria-hidden="true" />}
      loading={status === 'running'}
      onClick={onRun}
    >
      {t('Run')}
    </Button>
  );
  if (!onRunTo) return run;
  return (
    <Button.Group>
      {run}
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" px="xs" aria-label={t('More ways to run')} disabled={status === 'running'}>
            <IconChevronDown size={16} />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPlayerTrackNext size={16} />} onClick={() => onRunTo('last')}>
            {t('Run to here')}
          </Menu.Item>
          {reusable !== undefined && (
            <Menu.Item leftSection={<IconRefresh size={16} />} onClick={() => onRunTo('fresh')}>
              {t('Run to here with fresh data')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </Button.Group>
  );
}

/** With the data of those that gave any. */
function knownNodes(doc: Doc, sources: readonly Source[], name: string): KnownNode[] {
  return doc.nodes
    .filter((one) => one.name !== name && !isSticky(one))
    .map((one) => ({
      name: one.name,
      items: sources.find((source) => source.name === one.name)?.items ?? [],
      parameters: parametersOf(one),
    }));
}

function Middle({ node, problems, editable }: { node: DocNode; problems: Problems; editable: boolean }) {
  const errors = problems.fields.get(node.name) ?? {};
  const general = problems.byNode.get(node.name);
  return (
    <Tabs defaultValue="parameters" keepMounted={false}>
      <Tabs.List mb="md">
        <Tabs.Tab value="parameters">{t('Parameters')}</Tabs.Tab>
        <Tabs.Tab value="settings">{t('Settings')}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="parameters">
        <Stack gap="md">
          {general && Object.keys(errors).length === 0 && (
            <Text size="sm" c="var(--jf-warn)" style={{ whiteSpace: 'pre-line' }}>
              {general}
            </Text>
          )}
          <Parameters node={node} errors={errors} editable={editable} />
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="settings">
        <NodeSettings node={node} editable={editable} />
      </Tabs.Panel>
    </Tabs>
  );
}

/** A new name is taken when the field is left: wires and expressions follow it. */
function Name({
  node,
  editable,
  onRenamed,
}: {
  node: DocNode;
  editable: boolean;
  onRenamed: (from: string, to: string) => void;
}) {
  const store = useStore();
  const [text, setText] = useState(node.name);
  const take = () => {
    const wanted = text.trim();
    if (!wanted || wanted === node.name) {
      setText(node.name);
      return;
    }
    renameIn(store, node.name, wanted, onRenamed);
  };
  return (
    <Group gap="xs" flex={1} miw={0}>
      <TextInput
        flex={1}
        variant="unstyled"
        aria-label={t('Name of the node')}
        maxLength={255}
        readOnly={!editable}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onBlur={take}
        onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
        className={classes.name}
      />
    </Group>
  );
}
