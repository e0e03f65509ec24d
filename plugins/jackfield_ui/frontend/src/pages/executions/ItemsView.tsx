import { Button, Group, SegmentedControl, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { isRecord } from '../../api/errors';
import { CopyIcon } from '../../components/Copyable';
import { bytes, count } from '../../components/format';
import { JsonView } from '../../components/JsonView';
import type { MoreItems } from '../../components/useMoreItems';
import classes from './executions.module.css';
import type { Item } from './model';
import { brief, namesOf, shapeOf } from './shape';

const CHUNK = 50;
const MOST_COLUMNS = 60;

export type View = 'table' | 'json' | 'schema';

/** Items as a table, as JSON, or as the fields that they have. `marked`: the item that failed. */
export function ItemsView({
  label,
  given: { items, total, more, reading },
  view,
  onView,
  from = '',
  marked,
}: {
  label: string;
  given: MoreItems;
  view: View;
  onView: (view: View) => void;
  /** Where they come from. */
  from?: string;
  marked?: number | undefined;
}) {
  return (
    <>
      <Group justify="space-between" mb="sm" gap="sm">
        <Text size="sm" c="dimmed">
          {count(total)} {total === 1 ? 'item' : 'items'} {from}
        </Text>
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label={`Show ${label} as`}
            value={view}
            onChange={(next) => onView(next as View)}
            data={[
              { value: 'table', label: 'Table' },
              { value: 'json', label: 'JSON' },
              { value: 'schema', label: 'Schema' },
            ]}
          />
          {view !== 'json' && (
            <CopyIcon
              text={() => JSON.stringify(items, null, 2)}
              label={more ? `the first ${items.length} items` : label}
            />
          )}
        </Group>
      </Group>
      {items.length > 0 && view === 'json' && <JsonView value={items} label={label} depth={3} />}
      {items.length > 0 && view === 'table' && <Table label={label} items={items} marked={marked} />}
      {items.length > 0 && view === 'schema' && <Schema label={label} items={items} />}
      {more && (
        <Group justify="space-between" mt="sm" gap="sm">
          <Text size="sm" c="dimmed">
            {items.length ? `The first ${count(items.length)} are here.` : 'They are large, and not read yet.'}
          </Text>
          <Button size="compact-sm" variant="default" loading={reading} onClick={more}>
            {items.length ? 'Read more' : 'Read them'}
          </Button>
        </Group>
      )}
    </>
  );
}

function Table({ label, items, marked }: { label: string; items: readonly Item[]; marked: number | undefined }) {
  const [most, setMost] = useState(CHUNK);
  // The item that failed is shown, wherever it stands.
  const shown = items.slice(0, Math.max(most, (marked ?? -1) + 1));
  const names = useMemo(() => namesOf(shown.map(({ json }) => (isRecord(json) ? json : {}))), [shown]);
  const columns = names.slice(0, MOST_COLUMNS);
  const files = shown.some(({ binary }) => binary && Object.keys(binary).length > 0);
  return (
    <div className={classes.scroll} tabIndex={0} role="group" aria-label={label}>
      <table className={classes.table} aria-label={label}>
        <thead>
          <tr>
            <th scope="col">#</th>
            {columns.map((name) => (
              <th key={name} scope="col" title={name}>
                {name}
              </th>
            ))}
            {files && <th scope="col">Files</th>}
            {names.length > columns.length && <th scope="col">{names.length - columns.length} more fields: JSON</th>}
          </tr>
        </thead>
        <tbody>
          {shown.map((item, index) => (
            <tr key={index} data-marked={index === marked || undefined}>
              <th scope="row">{index}</th>
              {columns.map((name) => (
                <Cell key={name} value={isRecord(item.json) ? item.json[name] : undefined} />
              ))}
              {files && (
                <td>
                  {Object.entries(item.binary ?? {})
                    .map(([name, file]) => fileText(name, file))
                    .join(', ')}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < items.length && (
        <Button variant="subtle" fullWidth onClick={() => setMost(most + 4 * CHUNK)}>
          {count(items.length - shown.length)} more items
        </Button>
      )}
    </div>
  );
}

function Cell({ value }: { value: unknown }) {
  if (value === undefined) return <td className={classes.missing} />;
  const text = brief(value);
  const kind = typeof value === 'number' ? classes.number : value === null ? classes.missing : undefined;
  return (
    <td className={kind} title={text}>
      {text}
    </td>
  );
}

function fileText(name: string, file: unknown): string {
  if (!isRecord(file)) return name;
  const size = Number(file.bytes ?? file.fileSize);
  return [name, file.fileName, file.mimeType, Number.isFinite(size) ? bytes(size) : '']
    .filter((part) => part !== undefined && part !== '')
    .join(' ');
}

function Schema({ label, items }: { label: string; items: readonly Item[] }) {
  const fields = useMemo(() => shapeOf(items), [items]);
  if (fields.length === 0) return <Text c="dimmed">The items have no fields.</Text>;
  return (
    <div className={classes.scroll} tabIndex={0} role="group" aria-label={label}>
      <table className={classes.table} aria-label={`Fields of ${label}`}>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Type</th>
            <th scope="col">Example</th>
          </tr>
        </thead>
        <tbody>
          {fields.map(({ path, name, level, types, example }) => (
            <tr key={path}>
              <td className="jf-mono" title={path} style={{ paddingInlineStart: `${0.625 + level}rem` }}>
                {name}
              </td>
              <td className={classes.type}>{types.join(', ')}</td>
              <td className={classes.missing}>{brief(example, 80)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
