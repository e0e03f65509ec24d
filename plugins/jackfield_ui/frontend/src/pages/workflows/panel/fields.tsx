/** The slot around each input of the form: expression mode, and inputs for what the schema alone does not tell. */
import { Box, Button, Input, MultiSelect, Select, Textarea, TextInput } from '@mantine/core';
import type { DragEvent, ReactNode } from 'react';
import { isRecord } from '../../../api/errors';
import { CodeEditor, type Language } from '../../../components/CodeEditor';
import type { FieldInfo, RenderField } from '../../../components/schema/context';
import { isExpression, isLocator } from '../model/forms';
import { AssignmentsField } from './AssignmentsField';
import { ConditionsField } from './ConditionsField';
import { usePanel } from './context';
import { ExpressionField } from './ExpressionField';
import classes from './panel.module.css';

export const FIELD_DRAG = 'application/x-jackfield-field';
const CONTAINERS = new Set(['object', 'list', 'map']);
const CODE: Record<string, Language> = {
  jsCode: 'javascript',
  functionCode: 'javascript',
  pythonCode: 'text',
  rhaiCode: 'rhai',
};

export const renderField: RenderField = (field, input) => <Slot field={field} input={input} />;

function Slot({ field, input }: { field: FieldInfo; input: ReactNode }) {
  const { schema, name, value } = field;
  if (schema.properties?.combinator && schema.properties.conditions) return <ConditionsField {...field} />;
  if (name === 'assignments' && schema.type === 'array') return <AssignmentsField {...field} />;
  // n8n wraps its lists: {assignments: {assignments: [...]}}; one heading is enough.
  if (name === 'assignments' && schema.properties?.assignments) {
    const inner = isRecord(value) ? value : {};
    return (
      <AssignmentsField
        {...field}
        value={inner.assignments}
        onChange={(next) => field.onChange({ ...inner, assignments: next })}
      />
    );
  }
  if (CODE[name] && typeof (value ?? '') === 'string' && !isExpression(value)) {
    return (
      <Input.Wrapper label={field.label} description={schema.description} error={field.error}>
        <CodeEditor
          label={field.label}
          language={CODE[name]}
          value={String(value ?? '')}
          onChange={field.onChange}
          minHeight={240}
          maxHeight="50dvh"
        />
      </Input.Wrapper>
    );
  }
  if (CONTAINERS.has(field.kind) && !isExpression(value) && !isLocator(value)) return input;
  return <WithExpression field={field} plain={plainOf(field, input)} />;
}

/** In place of the form's own input where the value is of a kind that it does not know. */
function plainOf(field: FieldInfo, input: ReactNode): ReactNode {
  const { value, schema } = field;
  if (isLocator(value) || takesLocator(field)) return <LocatorInput {...field} />;
  if (field.kind === 'variants' && oneOrMany(schema)) return <OneOrMany {...field} values={oneOrMany(schema) ?? []} />;
  const anything = field.kind === 'json' && schema.type === undefined && !isRecord(value) && !Array.isArray(value);
  const choice = field.kind === 'variants' && !isRecord(value) && !Array.isArray(value) && textual(field);
  return anything || choice ? <AnyInput {...field} /> : input;
}

/** The words of a schema that takes one of them, or a list of them. */
function oneOrMany({ anyOf = [] }: FieldInfo['schema']): string[] | undefined {
  const one = anyOf.find((variant) => variant.enum)?.enum;
  const many = anyOf.find((variant) => variant.type === 'array')?.items?.enum;
  return anyOf.length === 2 && one && many ? one.map(String) : undefined;
}

function OneOrMany({ label, schema, value, onChange, error, values }: FieldInfo & { values: string[] }) {
  const { editable } = usePanel();
  const common = { label, description: schema.description, error, data: values, readOnly: !editable };
  if (Array.isArray(value)) return <MultiSelect {...common} value={value.map(String)} onChange={onChange} />;
  return (
    <Select {...common} value={typeof value === 'string' ? value : null} onChange={onChange} allowDeselect={false} />
  );
}

function textual({ schema }: FieldInfo): boolean {
  const variants = schema.anyOf ?? schema.oneOf ?? [];
  return variants.every(({ type }) => type === 'string' || type === 'integer' || type === 'number' || type === 'null');
}

function takesLocator({ schema, value }: FieldInfo): boolean {
  const variants = schema.anyOf ?? [];
  return (
    !isRecord(value) &&
    variants.some(({ $ref }) => $ref?.endsWith('Locator')) &&
    variants.some(({ type }) => type === 'string')
  );
}

function LocatorInput({ label, schema, value, onChange, error, required }: FieldInfo) {
  const { editable } = usePanel();
  const text = isLocator(value) ? value.value : value;
  return (
    <TextInput
      label={label}
      description={schema.description}
      required={required}
      error={error}
      readOnly={!editable}
      value={text === undefined || text === null ? '' : String(text)}
      onChange={(event) => {
        const next = event.currentTarget.value;
        onChange(isLocator(value) ? { ...value, value: next } : next || undefined);
      }}
    />
  );
}

/** Numbers and truth values stay what they are as long as they are written so. */
function AnyInput({ label, schema, value, onChange, error, required }: FieldInfo) {
  const { editable } = usePanel();
  return (
    <Textarea
      label={label}
      description={schema.description}
      required={required}
      error={error}
      readOnly={!editable}
      autosize
      minRows={1}
      maxRows={14}
      value={value === undefined || value === null ? '' : String(value)}
      onChange={(event) => {
        const next = event.currentTarget.value;
        onChange(
          typeof value === 'number' && next !== '' && String(Number(next)) === next ? Number(next) : next || undefined,
        );
      }}
    />
  );
}

export function WithExpression({ field, plain }: { field: Omit<FieldInfo, 'kind' | 'path'>; plain: ReactNode }) {
  const { editable } = usePanel();
  const { value, label, schema, error, onChange } = field;
  const inner = isLocator(value) ? value.value : value;
  const set = (next: unknown) => onChange(isLocator(value) ? { ...value, value: next } : next);
  const on = isExpression(inner);
  const drop = (event: DragEvent) => {
    const dragged = event.dataTransfer.getData(FIELD_DRAG);
    if (!dragged || on || !editable) return;
    event.preventDefault();
    event.stopPropagation();
    set(`=${dragged}`);
  };
  return (
    <Box
      className={classes.field}
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes(FIELD_DRAG) && !on) event.preventDefault();
      }}
      onDropCapture={drop}
    >
      {editable && (
        <Button.Group className={classes.modes}>
          <Button
            size="compact-xs"
            variant={on ? 'default' : 'light'}
            aria-pressed={!on}
            aria-label={`Fixed value for ${label}`}
            onClick={() => on && set(fixed(inner))}
          >
            Fixed
          </Button>
          <Button
            size="compact-xs"
            variant={on ? 'light' : 'default'}
            aria-pressed={on}
            aria-label={`Expression for ${label}`}
            onClick={() => !on && set(expressionOf(inner))}
          >
            Expression
          </Button>
        </Button.Group>
      )}
      {on ? (
        <Input.Wrapper label={label} labelElement="div" description={schema.description} error={error}>
          <ExpressionField label={label} value={inner} onChange={set} />
        </Input.Wrapper>
      ) : (
        plain
      )}
    </Box>
  );
}

function expressionOf(value: unknown): string {
  if (value === undefined || value === null || value === '') return '=';
  return typeof value === 'string' ? `=${value}` : `={{ ${JSON.stringify(value)} }}`;
}

/** Back to what it was: `={{ 5 }}` to 5, `=text` to text. */
function fixed(value: unknown): unknown {
  const text = String(value).slice(1);
  const bare = /^\{\{\s*(.*?)\s*\}\}$/s.exec(text)?.[1];
  if (bare !== undefined) {
    try {
      return JSON.parse(bare) as unknown;
    } catch {
      return text;
    }
  }
  return text || undefined;
}
