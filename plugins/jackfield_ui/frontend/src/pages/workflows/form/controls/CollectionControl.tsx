import { Button, Menu } from '@mantine/core';
import { IconPlus } from '../../../../icons/drawn';
import { language, t } from '../../../../language/messages';
import { useFormState } from '../context';
import { FieldView } from '../FieldView';
import { FormFields } from '../FormFields';
import classes from '../form.module.css';
import type { NodeField, Path, Values } from '../model';
import { shownFields, withDefaults } from '../showing';
import { initialOf, initialRow, withKey } from '../values';
import type { ControlProps } from './props';
import { AddButton, Frame, movesOf, Row } from './Rows';

/** Options that are added one by one; with `multiple` a list of objects. */
export function CollectionControl(props: ControlProps) {
  const { field, path, value, onChange, error } = props;
  const { top, version } = useFormState();
  if (field.multiple) return <Objects {...props} />;
  const given = (value as Values | undefined) ?? {};
  const fields = field.fields ?? [];
  const shown = shownFields(fields, withDefaults(fields, given, top, version), top, version);
  // Nothing to add now, and nothing there.
  if (shown.length === 0 && Object.keys(given).length === 0) return null;
  return (
    <Frame field={field} error={error}>
      <Members fields={fields} path={path} value={given} onChange={onChange} add={field} />
    </Frame>
  );
}

/** Objects with few fields show all of them. */
const FEW = 6;

function Objects({ field, path, value, onChange, error }: ControlProps) {
  const rows = (value as readonly Values[] | undefined) ?? [];
  const fields = field.fields ?? [];
  const name = singular(field.label);
  return (
    <Frame field={field} error={error}>
      {rows.map((row, index) => {
        const given = {
          fields,
          path: [...path, index],
          value: row,
          onChange: (next: Values) => onChange(rows.map((old, at) => (at === index ? next : old))),
        };
        return (
          <Row key={index} title={`${name} ${index + 1}`} heading moves={movesOf(rows, index, onChange)}>
            {fields.length <= FEW ? <FormFields {...given} /> : <Members {...given} add={field} />}
          </Row>
        );
      })}
      <AddButton label={addLabel(field, name)} onClick={() => onChange([...rows, initialRow(fields)])} />
    </Frame>
  );
}

/** Those that are there, and a menu of the others. What is needed is always there. */
function Members({
  fields,
  path,
  value,
  onChange,
  add,
}: {
  fields: readonly NodeField[];
  path: Path;
  value: Values;
  onChange: (value: Values) => void;
  /** The field whose options these are. */
  add: NodeField;
}) {
  const { top, version, editable } = useFormState();
  const shown = shownFields(fields, withDefaults(fields, value, top, version), top, version);
  const isThere = (field: NodeField) => field.required === true || field.name in value;
  const others = shown.filter((field) => !isThere(field) && field.control !== 'hidden' && field.control !== 'notice');
  const there = shown.filter((field) => field.control !== 'hidden' && isThere(field));
  const rest = Object.keys(value).some((name) => !fields.some((field) => field.name === name));
  return (
    <>
      {there.map((field) => (
        <Row
          key={field.name}
          title={field.label}
          moves={{ remove: () => onChange(withKey(value, field.name, undefined)) }}
        >
          <FieldView
            field={field}
            path={[...path, field.name]}
            value={value[field.name]}
            onChange={(next) => onChange(withKey(value, field.name, next ?? emptyOf(field)))}
          />
        </Row>
      ))}
      {rest && <FormFields fields={fields} path={path} value={value} onChange={onChange} only={() => false} />}
      {editable && others.length > 0 && (
        <AddMenu
          label={typeof add.options?.add === 'string' ? add.options.add : t('Add option')}
          of={add.label}
          fields={others}
          onAdd={(field) => onChange({ ...value, [field.name]: initialOf(field) })}
        />
      )}
    </>
  );
}

/** An emptied option stays where it is until somebody removes it. */
function emptyOf(field: NodeField): unknown {
  return field.control === 'number' ? initialOf({ ...field, default: null }) : '';
}

function AddMenu({
  label,
  of,
  fields,
  onAdd,
}: {
  label: string;
  of: string;
  fields: readonly NodeField[];
  onAdd: (field: NodeField) => void;
}) {
  return (
    <Menu position="bottom-start" withinPortal={false}>
      <Menu.Target>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} aria-hidden="true" />}
          style={{ alignSelf: 'flex-start' }}
          aria-label={`${label}: ${of}`}
        >
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown className={classes.menu}>
        {fields.map((field) => (
          <Menu.Item key={field.name} onClick={() => onAdd(field)}>
            {field.label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The name of one of several: “Header” of “Headers”. */
export function singular(label: string): string {
  return label.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');
}

/** The form's own words, or made of what is added. */
export function addLabel({ options }: NodeField, name: string): string {
  return typeof options?.add === 'string'
    ? options.add
    : t('Add {name}', {
        name: language() !== 'en' || /^[A-Z]{2}/.test(name) ? name : name.charAt(0).toLowerCase() + name.slice(1),
      });
}
