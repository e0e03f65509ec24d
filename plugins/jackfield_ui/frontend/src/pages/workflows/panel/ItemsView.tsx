import { Button, Group, SegmentedControl, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { CopyIcon } from '../../../components/Copyable';
import { JsonView } from '../../../components/JsonView';
import type { MoreItems } from '../../../components/useMoreItems';
import { drag } from '../form/drag';
import { accessor, type SchemaField, schemaOf, typeOf } from '../model/data';
import type { Item } from '../queries';
import classes from './panel.module.css';

export type View = 'schema' | 'table' | 'json';
const ROWS = 50;
const COLUMNS = 30;
const CELL = 200;

export function ViewSwitch({ view, onView, label }: { view: View; onView: (view: View) => void; label: string }) {
  return (
    <SegmentedControl
      size="xs"
      aria-label={`Show the ${label} as`}
      value={view}
      onChange={(next) => onView(next as View)}
      data={[
        { value: 'schema', label: 'Schema' },
        { value: 'table', label: 'Table' },
        { value: 'json', label: 'JSON' },
      ]}
    />
  );
}

/** Items three ways. With a prefix their fields can be dragged into expressions. */
export function ItemsView({
  given: { items, total, more, reading },
  view,
  label,
  prefix,
}: {
  given: MoreItems;
  view: View;
  label: string;
  prefix: string | undefined;
}) {
  return (
    <>
      {items.length > 0 && view === 'json' && <JsonView value={items} label={label} depth={3} maxHeight="62dvh" />}
      {items.length > 0 && view === 'table' && <Rows items={items} label={label} prefix={prefix} />}
      {items.length > 0 && view === 'schema' && <Fields items={items} prefix={prefix} />}
      {more && (
        <Group justify="space-between" gap="xs">
          <Text size="xs" c="dimmed">
            {items.length ? `The first ${items.length} of ${total} items.` : 'They are large, and not read yet.'}
          </Text>
          <Button size="compact-sm" variant="default" loading={reading} onClick={more}>
            {items.length ? 'Read more' : 'Read them'}
          </Button>
        </Group>
      )}
    </>
  );
}

function expressionFor(prefix: string, path: readonly (string | number)[]): string {
  return `{{ ${prefix}${accessor(path)} }}`;
}

function Fields({ items, prefix }: { items: readonly Item[]; prefix: string | undefined }) {
  const fields = useMemo(() => schemaOf(items), [items]);
  if (!fields.length) return <Text c="dimmed">The items have no fields.</Text>;
  return <FieldList fields={fields} prefix={prefix} />;
}

function FieldList({ fields, prefix }: { fields: readonly SchemaField[]; prefix: string | undefined }) {
  return (
    <ul className={classes.fields}>
      {fields.map((field) => (
        <li key={field.name}>
          <div className={classes.fieldRow}>
            {/* biome-ignore lint/a11y/noStaticElementInteractions: the button beside it copies the expression for the keyboard */}
            <span
              className={classes.fieldName}
              draggable={prefix !== undefined}
              onDragStart={(event) =>
                prefix !== undefined && drag(event, expressionFor(prefix, field.path), field.name, field.type)
              }
              title={prefix === undefined ? undefined : 'Drag it into a parameter'}
            >
              {field.name}
            </span>
            <span className={classes.fieldType}>{field.type}</span>
            <span className={classes.sample}>{field.sample}</span>
            {prefix !== undefined && (
              <CopyIcon text={expressionFor(prefix, field.path)} label={`the expression for ${field.name}`} />
            )}
          </div>
          {field.fields.length > 0 && <FieldList fields={field.fields} prefix={prefix} />}
        </li>
      ))}
    </ul>
  );
}

function Rows({ items, label, prefix }: { items: readonly Item[]; label: string; prefix: string | undefined }) {
  const [most, setMost] = useState(ROWS);
  const shown = items.slice(0, most);
  const columns = [...new Set(shown.flatMap(({ json }) => Object.keys(json)))].slice(0, COLUMNS);
  return (
    <div className={classes.tableBox} tabIndex={0} role="group" aria-label={`${label}, table`}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">#</th>
            {columns.map((column) => (
              <th
                key={column}
                scope="col"
                draggable={prefix !== undefined}
                onDragStart={(event) =>
                  prefix !== undefined &&
                  drag(event, expressionFor(prefix, [column]), column, columnType(items, column))
                }
              >
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map(({ json }, index) => (
            <tr key={index}>
              <td>{index}</td>
              {columns.map((column) => (
                <td key={column}>{cell(json[column])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {items.length > most && (
        <Button variant="subtle" size="compact-sm" fullWidth onClick={() => setMost(most + 4 * ROWS)}>
          {items.length - most} more rows
        </Button>
      )}
    </div>
  );
}

/** That of the first value. */
function columnType(items: readonly Item[], column: string): string {
  return typeOf(items.map(({ json }) => json[column]).find((one) => one !== undefined && one !== null) ?? null);
}

function cell(value: unknown): string {
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > CELL ? `${text.slice(0, CELL)}…` : text;
}
