import { Button } from '@mantine/core';
import { useMemo, useState } from 'react';
import { isRecord } from '../../api/errors';
import { t } from '../../language/messages';
import { count } from '../format';
import { Highlight } from '../Highlight';
import type { FieldUse, Numbered } from './Items';
import classes from './items.module.css';
import type { ItemFile } from './model';
import { brief, filesOf, namesOf, typeOf } from './values';

const CHUNK = 50;
const MOST_COLUMNS = 60;

export function Table({
  label,
  items,
  marked,
  wanted,
  fields,
  onFile,
}: {
  label: string;
  items: readonly Numbered[];
  marked: number | undefined;
  wanted: string;
  fields: FieldUse | undefined;
  onFile: (file: ItemFile, index: number) => void;
}) {
  const [most, setMost] = useState(CHUNK);
  // The item that failed is shown, wherever it stands.
  const shown = items.slice(0, Math.max(most, items.findIndex(({ index }) => index === marked) + 1));
  const names = useMemo(() => namesOf(shown.map(({ item }) => (isRecord(item.json) ? item.json : {}))), [shown]);
  const columns = names.slice(0, MOST_COLUMNS);
  const files = shown.some(({ item }) => filesOf(item).length > 0);
  return (
    <div className={classes.scroll} tabIndex={0} role="group" aria-label={label}>
      <table className={classes.table} aria-label={label}>
        <thead>
          <tr>
            <th scope="col">#</th>
            {columns.map((name) => (
              <Head key={name} name={name} items={items} wanted={wanted} fields={fields} />
            ))}
            {files && <th scope="col">{t('Files')}</th>}
            {names.length > columns.length && (
              <th scope="col">{t('{names} more fields: JSON', { names: names.length - columns.length })}</th>
            )}
          </tr>
        </thead>
        <tbody>
          {shown.map(({ item, index }) => (
            <tr key={index} data-marked={index === marked || undefined}>
              <th scope="row">{index}</th>
              {columns.map((name) => (
                <Cell key={name} value={isRecord(item.json) ? item.json[name] : undefined} wanted={wanted} />
              ))}
              {files && (
                <td>
                  {filesOf(item).map((file) => (
                    <button
                      key={file.key}
                      type="button"
                      className={classes.file}
                      aria-label={t('Show the file {name} of item {index}', { name: file.name, index })}
                      onClick={() => onFile(file, index)}
                    >
                      <Highlight text={file.name} wanted={wanted} />
                    </button>
                  ))}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < items.length && (
        <Button variant="subtle" fullWidth onClick={() => setMost(most + 4 * CHUNK)}>
          {t('{items} more items', { items: count(items.length - shown.length) })}
        </Button>
      )}
    </div>
  );
}

function Head({
  name,
  items,
  wanted,
  fields,
}: {
  name: string;
  items: readonly Numbered[];
  wanted: string;
  fields: FieldUse | undefined;
}) {
  /** That of the first value. */
  const type = () =>
    typeOf(items.map(({ item }) => item.json[name]).find((one) => one !== undefined && one !== null) ?? null);
  return (
    <th
      scope="col"
      title={fields ? t('Drag it into a parameter') : name}
      draggable={fields !== undefined}
      onDragStart={(event) => fields?.drag(event, fields.expression([name]), name, type())}
    >
      <Highlight text={name} wanted={wanted} />
    </th>
  );
}

function Cell({ value, wanted }: { value: unknown; wanted: string }) {
  if (value === undefined) return <td className={classes.missing} />;
  const text = brief(value, 200, wanted);
  const kind = typeof value === 'number' ? classes.number : value === null ? classes.missing : undefined;
  return (
    <td className={kind} title={text}>
      <Highlight text={text} wanted={wanted} />
    </td>
  );
}
