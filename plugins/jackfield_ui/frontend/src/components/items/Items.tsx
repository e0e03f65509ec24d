import { ActionIcon, Button, Group, SegmentedControl, Text, TextInput, Tooltip } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { type DragEvent, lazy, type ReactNode, Suspense, useDeferredValue, useMemo, useState } from 'react';
import type { Item } from '../../api/types';
import { IconSearch, IconTextWrap, IconX } from '../../icons/drawn';
import { t } from '../../language/messages';
import { CopyIcon } from '../Copyable';
import { count } from '../format';
import { JsonView } from '../JsonView';
import type { MoreItems, OutputPlace } from '../useMoreItems';
import { Fields } from './Fields';
import { FileList } from './FileList';
import classes from './items.module.css';
import type { ItemFile, View } from './model';
import { Table } from './Table';
import { filesOf, hitsIn } from './values';

const FilePreview = lazy(() => import('./FilePreview'));

/** An item with its number among all items of its output. */
export interface Numbered {
  item: Item;
  index: number;
}

/** What can be done with a field beside reading it: it goes into a parameter. */
export interface FieldUse {
  expression: (path: readonly (string | number)[]) => string;
  drag: (event: DragEvent, expression: string, name: string, type: string) => void;
}

export interface ItemsProps {
  /** What they are, for screen readers: 'the output'. */
  label: string;
  given: MoreItems;
  /** Where they stand in an execution; undefined: nowhere, they are pinned. */
  place: OutputPlace | undefined;
  /** Under which name the browser keeps how they are shown. */
  keep: string;
  first?: View;
  /** What is looked for; kept by whoever shows several lists. */
  wanted: string;
  onWanted: (text: string) => void;
  /** Behind their number: 'from Fetch'. */
  about?: ReactNode;
  /** The item that failed. */
  marked?: number | undefined;
  fields?: FieldUse | undefined;
}

/** Items as a table, as JSON, as the fields that they have, or their files. Long values scroll, unless they shall wrap. */
export function Items(props: ItemsProps) {
  const { label, given, place, keep, first = 'table', wanted, onWanted, about, marked, fields } = props;
  const [kept, setView] = useLocalStorage<View>({ key: `jackfield.items-view.${keep}`, defaultValue: first });
  const [wrap, setWrap] = useLocalStorage({ key: 'jackfield.items-wrap', defaultValue: false });
  const [shown, setShown] = useState<{ file: ItemFile; index: number }>();
  const text = useDeferredValue(wanted.trim());
  const all = useMemo(() => given.items.map((item, index) => ({ item, index })), [given.items]);
  const { found, hits } = useMemo(() => lookedFor(all, text), [all, text]);
  const withFiles = useMemo(() => given.items.some((item) => filesOf(item).length > 0), [given.items]);
  const view = kept === 'files' && !withFiles ? first : kept;
  const open = (file: ItemFile, index: number) => setShown({ file, index });
  return (
    <div className={classes.items} data-wrap={wrap || undefined}>
      <Group gap="xs" className={classes.bar}>
        <TextInput
          className={classes.search}
          size="xs"
          aria-label={t('Search {label}', { label })}
          placeholder={t('Search')}
          leftSection={<IconSearch size={13} aria-hidden="true" />}
          value={wanted}
          onChange={({ currentTarget: { value } }) => onWanted(value)}
          rightSection={
            wanted && (
              <ActionIcon size="xs" onClick={() => onWanted('')} aria-label={t('Search {label} no longer', { label })}>
                <IconX size={12} />
              </ActionIcon>
            )
          }
        />
        <Group gap="xs" wrap="nowrap">
          <SegmentedControl
            size="xs"
            aria-label={t('Show {label} as', { label })}
            value={view}
            onChange={(next) => setView(next as View)}
            data={[
              { value: 'schema', label: t('Schema') },
              { value: 'table', label: t('Table') },
              { value: 'json', label: 'JSON' },
              ...(withFiles ? [{ value: 'files', label: t('Files') }] : []),
            ]}
          />
          <Tooltip label={wrap ? t('Keep long values in one line') : t('Wrap long values')}>
            <ActionIcon
              size="sm"
              variant={wrap ? 'light' : 'subtle'}
              aria-label={t('Wrap long values')}
              aria-pressed={wrap}
              onClick={() => setWrap(!wrap)}
            >
              <IconTextWrap size={14} />
            </ActionIcon>
          </Tooltip>
          <CopyIcon
            text={() => JSON.stringify(given.items, null, 2)}
            label={given.more ? t('the first {items} items', { items: given.items.length }) : label}
          />
        </Group>
      </Group>
      <Text size="sm" c="dimmed" role="status">
        {text ? foundText(found.length, given, hits) : <Total given={given} />} {about}
      </Text>
      {found.length > 0 && view === 'json' && (
        <JsonView
          value={found.map(({ item }) => item)}
          indexes={found.map(({ index }) => index)}
          label={label}
          depth={3}
          maxHeight="62dvh"
          wanted={text}
          wrap={wrap}
        />
      )}
      {found.length > 0 && view === 'table' && (
        <Table label={label} items={found} marked={marked} wanted={text} fields={fields} onFile={open} />
      )}
      {found.length > 0 && view === 'schema' && <Fields items={found} label={label} wanted={text} fields={fields} />}
      {found.length > 0 && view === 'files' && <FileList items={found} place={place} wanted={text} onFile={open} />}
      {given.more && (
        <Group justify="space-between" gap="sm">
          <Text size="sm" c="dimmed">
            {given.items.length
              ? t('The first {items} are here.', { items: count(given.items.length) })
              : t('They are large, and not read yet.')}
          </Text>
          <Button size="compact-sm" variant="default" loading={given.reading} onClick={given.more}>
            {given.items.length ? t('Read more') : t('Read them')}
          </Button>
        </Group>
      )}
      {shown && (
        <Suspense fallback={null}>
          <FilePreview {...shown} place={place} onClose={() => setShown(undefined)} />
        </Suspense>
      )}
    </div>
  );
}

function Total({ given: { total } }: { given: MoreItems }) {
  return <>{t('{total, plural, one {# item} other {# items}}', { total })}</>;
}

function foundText(found: number, { items, total }: MoreItems, hits: number): string {
  const among = items.length < total ? t('the first {items} items', { items: count(items.length) }) : `${count(total)}`;
  return t('{hits, plural, one {{found} of {among}, # hit} other {{found} of {among}, # hits}}', {
    hits,
    found: count(found),
    among,
  });
}

function lookedFor(all: readonly Numbered[], wanted: string): { found: readonly Numbered[]; hits: number } {
  if (!wanted) return { found: all, hits: 0 };
  const counted = all.map((one) => ({ ...one, hits: hitsIn(one.item, wanted) }));
  const found = counted.filter(({ hits }) => hits > 0);
  return { found, hits: found.reduce((sum, { hits }) => sum + hits, 0) };
}
