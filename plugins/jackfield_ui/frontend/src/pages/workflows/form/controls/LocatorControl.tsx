import { ActionIcon, Input, Select, TextInput } from '@mantine/core';
import { segment } from '../../../../api/client';
import { areaPath } from '../../../../app/areas';
import { IconExternalLink } from '../../../../icons/drawn';
import { t } from '../../../../language/messages';
import { useFormState, useTyped } from '../context';
import classes from '../form.module.css';
import type { Option, OptionSource } from '../useOptions';
import { emptied, isLocator, type LocatorMode, likeBefore, modesOf } from '../values';
import { helpOf } from './help';
import { LoadedSelect } from './Loaded';
import { type ControlProps, useInner } from './props';
import { useListSource } from './useListSource';

/** n8n's resource locator: a thing of the service from a list, by its id or by its address. */
export function LocatorControl(props: ControlProps) {
  const { load } = props.field;
  return load ? <WithList {...props} load={load} /> : <Locator {...props} source={undefined} />;
}

function WithList({ load, ...props }: ControlProps & { load: NonNullable<ControlProps['field']['load']> }) {
  return <Locator {...props} source={useListSource(load)} />;
}

export function Locator(props: ControlProps & { source: OptionSource | undefined }) {
  const { field, value, onChange, source, error } = props;
  const { editable } = useFormState();
  const inner = useInner(props);
  const modes = modesOf(field);
  const mode = modeOf(value, modes);
  const all = modes.some(({ name }) => name === mode)
    ? modes
    : [...modes, { name: mode, label: mode, placeholder: '' }];
  const text = textOf(isLocator(value) ? value.value : value);
  const page = pageOf(field.options?.opens, mode, text);
  const write = (next: Option['value'] | undefined, chosen?: Option) => {
    if (!isLocator(value) && value !== undefined && mode !== 'list') onChange(next);
    else onChange(located(isLocator(value) ? value : {}, mode, next ?? '', chosen));
  };
  return (
    <Input.Wrapper
      label={field.label}
      labelElement="div"
      description={helpOf(field)}
      withAsterisk={field.required === true}
      error={error}
    >
      <div className={classes.locator}>
        {all.length > 1 && (
          <Select
            className={classes.mode}
            aria-label={t('Mode of {label}', { label: field.label })}
            data={all.map(({ name, label }) => ({ value: name, label }))}
            value={mode}
            allowDeselect={false}
            readOnly={!editable}
            onChange={(next) => next && next !== mode && onChange(located(isLocator(value) ? value : {}, next, text))}
          />
        )}
        <div className={classes.rowBody}>
          {mode === 'list' && source ? (
            <LoadedSelect
              field={field}
              look={inner}
              source={source}
              choices={field.choices ?? []}
              value={text}
              shown={isLocator(value) && typeof value.cachedResultName === 'string' ? value.cachedResultName : ''}
              onChoose={write}
            />
          ) : (
            <Written {...props} text={text} write={write} mode={all.find(({ name }) => name === mode)} />
          )}
        </div>
        {page && (
          <ActionIcon
            component="a"
            href={page}
            target="_blank"
            rel="noopener"
            aria-label={t('Open {label}', { label: field.label })}
            size="lg"
          >
            <IconExternalLink size={16} aria-hidden="true" />
          </ActionIcon>
        )}
      </div>
    </Input.Wrapper>
  );
}

function Written({
  text,
  write,
  mode,
  ...props
}: ControlProps & {
  text: string;
  write: (value: string | number | undefined) => void;
  mode: LocatorMode | undefined;
}) {
  const common = useInner(props);
  const typed = useTyped();
  const before = isLocator(props.value) ? props.value.value : props.value;
  return (
    <TextInput
      {...common}
      placeholder={mode?.placeholder || common.placeholder}
      value={text}
      onChange={(event) => {
        const { value: next, selectionStart } = event.currentTarget;
        if (typed(next, selectionStart)) return;
        write(next === '' ? emptied(props.field) : likeBefore(next, before));
      }}
    />
  );
}

/** A plain text is an id. */
function modeOf(value: unknown, modes: readonly LocatorMode[]): string {
  if (isLocator(value)) return typeof value.mode === 'string' && value.mode ? value.mode : 'id';
  const first = modes[0]?.name ?? 'id';
  if (value === undefined || value === null || value === '') return first;
  return modes.some(({ name }) => name === 'id') ? 'id' : first;
}

/** Where the interface shows what is chosen. opens: the area, of which a field's options tell. */
function pageOf(opens: unknown, mode: string, text: string): string | undefined {
  if (typeof opens !== 'string' || !text || text.startsWith('=')) return undefined;
  return mode === 'name' ? `${areaPath(opens)}?search=${segment(text)}` : `${areaPath(opens)}/${segment(text)}`;
}

/** Another value has another name and address. */
function located(before: object, mode: string, value: Option['value'], chosen?: Option): Record<string, unknown> {
  const { cachedResultName: _, cachedResultUrl: __, ...others } = before as Record<string, unknown>;
  const name = chosen ? { cachedResultName: chosen.label } : {};
  const url = chosen?.url ? { cachedResultUrl: chosen.url } : {};
  return { __rl: true, ...others, mode, value, ...name, ...url };
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? '' : String(value);
}
