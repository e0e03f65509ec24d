import { ActionIcon, CloseButton, Group, ScrollArea, Switch, Text, TextInput, UnstyledButton } from '@mantine/core';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { fuzzy } from '../../../app/fuzzy';
import { IconSearch, IconX } from '../../../icons/drawn';
import { t } from '../../../language/messages';
import { GROUPS } from '../model/kinds';
import type { NodeType } from '../queries';
import { fits, type Wanted } from './edits';
import { Picture } from './Picture';
import classes from './palette.module.css';
import { DRAGGED } from './useDropping';

/** All node types that fit what is wanted: search and Enter, a click, or drag onto the canvas. */
export function Palette({
  kinds,
  wanted,
  onChoose,
  onClose,
}: {
  kinds: ReadonlyMap<string, NodeType>;
  wanted: Wanted;
  onChoose: (kind: NodeType) => void;
  onClose: () => void;
}) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const [every, setEvery] = useState(false);
  const fitting = useMemo(() => found(kinds, wanted, text), [kinds, wanted, text]);
  const rows = useMemo(() => (every ? fitting : fitting.filter(({ available }) => available)), [every, fitting]);
  const idle = fitting.reduce((sum, { available }) => sum + Number(!available), 0);
  const shown = text ? rows : grouped(rows);
  const flat = shown.filter((row): row is NodeType => typeof row !== 'string');
  const chosen = flat[Math.min(at, flat.length - 1)];

  const press = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step) {
      event.preventDefault();
      const next = (at + step + flat.length) % Math.max(flat.length, 1);
      setAt(next);
      list.current?.querySelectorAll('[data-kind]')[next]?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter' && chosen) {
      event.preventDefault();
      onChoose(chosen);
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      onClose();
    }
  };

  return (
    <section className={classes.palette} aria-label={t('Add a node')}>
      <Group gap="xs" wrap="nowrap" p="sm">
        <TextInput
          flex={1}
          aria-label={t('Search nodes')}
          placeholder={t('Search nodes')}
          leftSection={<IconSearch size={16} aria-hidden="true" />}
          rightSection={
            text && <CloseButton size="sm" aria-label={t('Clear the search')} onClick={() => setText('')} />
          }
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={press}
          autoFocus
        />
        <ActionIcon onClick={onClose} aria-label={t('Close the list of nodes')}>
          <IconX size={16} />
        </ActionIcon>
      </Group>
      <ScrollArea flex={1} viewportRef={list} viewportProps={{ tabIndex: 0, role: 'group', 'aria-label': t('Nodes') }}>
        {shown.map((row) =>
          typeof row === 'string' ? (
            <h2 key={row} className={classes.group}>
              {row}
            </h2>
          ) : (
            <Row key={row.kind} kind={row} active={row === chosen} onChoose={onChoose} />
          ),
        )}
        {flat.length === 0 && (
          <Text c="dimmed" p="md">
            {idle > 0
              ? t('The matching nodes cannot run here. Show them below, or use HTTP Request.')
              : t('No node matches. Try another word, or use HTTP Request for a service that is not listed.')}
          </Text>
        )}
      </ScrollArea>
      {(idle > 0 || every) && (
        <Switch
          p="sm"
          size="xs"
          label={t('Show nodes that cannot run here ({idle})', { idle })}
          checked={every}
          onChange={(event) => setEvery(event.currentTarget.checked)}
        />
      )}
    </section>
  );
}

function Row({ kind, active, onChoose }: { kind: NodeType; active: boolean; onChoose: (kind: NodeType) => void }) {
  return (
    <UnstyledButton
      className={classes.row}
      data-kind={kind.kind}
      data-active={active || undefined}
      draggable
      onDragStart={(event) => {
        event.dataTransfer.setData(DRAGGED, kind.kind);
        event.dataTransfer.effectAllowed = 'copy';
      }}
      onClick={() => onChoose(kind)}
    >
      <Picture type={kind.type} group={kind.group} name={kind.displayName} icon={kind.icon} size={24} />
      <span className={classes.text}>
        <span className={classes.name}>{kind.displayName}</span>
        <span className={classes.about}>
          {kind.available ? kind.description : t('Cannot run: {missing}', { missing: kind.missing })}
        </span>
      </span>
    </UnstyledButton>
  );
}

function found(kinds: ReadonlyMap<string, NodeType>, wanted: Wanted, text: string): NodeType[] {
  const some = [...kinds.values()].filter((kind) => fits(kind, wanted));
  if (!text.trim()) return some;
  return some
    .map((kind) => ({ kind, score: scoreOf(kind, text.trim()) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ kind }) => kind);
}

function scoreOf(kind: NodeType, text: string): number {
  const words = text.toLowerCase();
  const exact = kind.displayName.toLowerCase() === words ? 1_000 : 0;
  const about = kind.description.toLowerCase().includes(words) ? 20 : 0;
  const inside = kind.kind.toLowerCase().includes(words) ? 50 : 0;
  const score = exact + fuzzy(text, kind.displayName) + about + inside;
  return kind.available ? score : score / 4;
}

/** By group, what runs before what does not. */
function grouped(rows: readonly NodeType[]): (NodeType | string)[] {
  const byName = (one: NodeType, other: NodeType) =>
    Number(other.available) - Number(one.available) || one.displayName.localeCompare(other.displayName);
  return GROUPS.flatMap(([group, label]) => {
    const some = rows.filter((kind) => kind.group === group).sort(byName);
    return some.length ? [label, ...some] : [];
  });
}
