import { Group, Select, Stack, TextInput } from '@mantine/core';
import { isRecord } from '../../../../api/errors';
import { uuid } from '../../../../api/uuid';
import { t } from '../../../../language/messages';
import { freeName } from '../../model/document';
import { useFormState } from '../context';
import { type DraggedField, draggedIn, isDragged } from '../drag';
import { FieldView } from '../FieldView';
import { type Control, type Path, pathText } from '../model';
import { isExpression } from '../values';
import { addLabel } from './CollectionControl';
import type { ControlProps } from './props';
import { AddButton, Frame, movesOf, Row } from './Rows';

type Assignment = Record<string, unknown>;

const TYPES: readonly { value: string; label: string; control: Control }[] = [
  { value: 'string', label: t('Text'), control: 'textarea' },
  { value: 'number', label: t('Number'), control: 'number' },
  { value: 'boolean', label: t('True or false'), control: 'switch' },
  { value: 'array', label: t('List'), control: 'json' },
  { value: 'object', label: t('Object'), control: 'json' },
];

/** Fields that are written. A field of the input that is dropped here is taken over with its name and its type. */
export function AssignmentsControl({ field, path, value, onChange, error }: ControlProps) {
  const { editable } = useFormState();
  const bare = Array.isArray(value);
  const given = isRecord(value) ? value : {};
  const listed = bare ? value : given.assignments;
  const rows = (Array.isArray(listed) ? listed : []) as readonly Assignment[];
  const inner = bare ? path : [...path, 'assignments'];
  const write = (next: Assignment[]) => onChange(bare ? next : { ...given, assignments: next });
  const put = (index: number, part: Assignment) =>
    write(rows.map((row, at) => (at === index ? { ...row, ...part } : row)));
  const named = ({ expression, name, type }: DraggedField) => {
    const taken = new Set(rows.map((row) => String(row.name)));
    return { name: freeName(name, taken), type, value: `=${expression}` };
  };
  const add = (part: Assignment) => write([...rows, { id: uuid(), name: '', value: '', type: 'string', ...part }]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons inside do the same for the keyboard
    <div
      onDragOver={(event) => isDragged(event) && event.preventDefault()}
      onDrop={(event) => {
        const dragged = editable ? draggedIn(event) : undefined;
        if (!dragged) return;
        event.preventDefault();
        add(named(dragged));
      }}
    >
      <Frame field={field} error={error}>
        {rows.map((row, index) => (
          <Row
            key={String(row.id ?? index)}
            title={t('the field {name}', { name: String(row.name || index + 1) })}
            moves={movesOf(rows, index, write)}
          >
            <Assigned
              row={row}
              number={index + 1}
              path={[...inner, index]}
              onChange={(part) => put(index, part)}
              onDropped={(dragged) => {
                const { name, ...others } = named(dragged);
                put(index, row.name ? others : { ...others, name });
              }}
            />
          </Row>
        ))}
        <AddButton label={addLabel(field, t('a field'))} onClick={() => add({})} />
      </Frame>
    </div>
  );
}

function Assigned({
  row,
  number,
  path,
  onChange,
  onDropped,
}: {
  row: Assignment;
  number: number;
  path: Path;
  onChange: (part: Assignment) => void;
  onDropped: (dragged: DraggedField) => void;
}) {
  const { editable, errors } = useFormState();
  const type = typeof row.type === 'string' ? row.type : 'string';
  const control = TYPES.find(({ value }) => value === type)?.control ?? 'textarea';
  const types = TYPES.some(({ value }) => value === type) ? TYPES : [...TYPES, { value: type, label: type }];
  return (
    <Stack gap="xs">
      <Group gap="xs" grow wrap="nowrap" align="flex-start">
        <TextInput
          aria-label={t('Name of field {number}', { number })}
          placeholder={t('Name')}
          readOnly={!editable}
          value={String(row.name ?? '')}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
          error={errors[pathText([...path, 'name'])]}
        />
        <Select
          aria-label={t('Type of field {number}', { number })}
          data={types.map(({ value, label }) => ({ value, label }))}
          readOnly={!editable}
          allowDeselect={false}
          value={type}
          onChange={(next) => next && onChange({ type: next, value: converted(row.value, next) })}
        />
      </Group>
      <FieldView
        field={{
          name: 'value',
          control,
          label: t('Value of {name}', { name: String(row.name || t('field {number}', { number })) }),
          options: { rows: 1, text: true },
        }}
        path={[...path, 'value']}
        value={row.value}
        onChange={(next) => onChange({ value: next ?? '' })}
        onDropped={onDropped}
      />
    </Stack>
  );
}

/** As far as the value is one of the other type, too. */
function converted(value: unknown, type: string): unknown {
  if (isExpression(value)) return value;
  const text = value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  if (type === 'number') return text !== '' && Number.isFinite(Number(text)) ? Number(text) : '';
  if (type === 'boolean') return text === 'true';
  return text;
}
