import { Text } from '@mantine/core';
import { useMemo } from 'react';
import { t } from '../../language/messages';
import { CopyIcon } from '../Copyable';
import { Highlight } from '../Highlight';
import type { FieldUse, Numbered } from './Items';
import classes from './items.module.css';
import { type SchemaField, schemaOf } from './values';

interface Shown {
  wanted: string;
  fields: FieldUse | undefined;
}

/** The fields of items, which can be taken into parameters where there are some. */
export function Fields({ items, label, ...shown }: { items: readonly Numbered[]; label: string } & Shown) {
  const found = useMemo(() => schemaOf(items.map(({ item }) => item)), [items]);
  if (!found.length) return <Text c="dimmed">{t('The items have no fields.')}</Text>;
  return (
    <div className={classes.schema} tabIndex={0} role="group" aria-label={t('Fields of {label}', { label })}>
      <FieldList found={found} {...shown} />
    </div>
  );
}

function FieldList({ found, wanted, fields }: { found: readonly SchemaField[] } & Shown) {
  return (
    <ul className={classes.fields}>
      {found.map((field) => {
        const type = field.types[0] ?? 'null';
        return (
          <li key={field.name}>
            <div className={classes.fieldRow}>
              {/* biome-ignore lint/a11y/noStaticElementInteractions: the button beside it copies the expression for the keyboard */}
              <span
                className={classes.fieldName}
                draggable={fields !== undefined}
                onDragStart={(event) => fields?.drag(event, fields.expression(field.path), nameOf(field.path), type)}
                title={fields && t('Drag it into a parameter')}
              >
                <Highlight text={field.name} wanted={wanted} />
              </span>
              <span className={classes.fieldType}>{field.types.join(', ')}</span>
              <span className={classes.sample} title={field.sample}>
                <Highlight text={field.sample} wanted={wanted} />
              </span>
              {fields && (
                <CopyIcon
                  text={fields.expression(field.path)}
                  label={t('the expression for {name}', { name: field.name })}
                />
              )}
            </div>
            {field.fields.length > 0 && <FieldList found={field.fields} wanted={wanted} fields={fields} />}
          </li>
        );
      })}
    </ul>
  );
}

/** An element of a list is called as the list is. */
function nameOf(path: readonly (string | number)[]): string {
  return String(path.findLast((part) => typeof part === 'string') ?? 'value');
}
