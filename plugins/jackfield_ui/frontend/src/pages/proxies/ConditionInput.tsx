import { ActionIcon, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { NumberField } from '../../components/numbers/NumberField';
import { IconPlus, IconTrash } from '../../icons/drawn';
import { t } from '../../language/messages';
import { type Condition, type Errors, fresh, inner, KINDS } from './model';
import { PluginCondition } from './PluginCondition';
import classes from './proxies.module.css';

interface Props {
  label: string;
  condition: Condition;
  path: string;
  kinds: readonly { name: string; plugin: string | null }[];
  errors: Errors;
  onChange: (condition: Condition) => void;
  onRemove?: () => void;
}

const DIALECTS = [
  { value: 'anthropic', label: t('Messages') },
  { value: 'chat', label: t('Chat Completions') },
  { value: 'responses', label: t('Responses') },
];

/** One condition: its kind, and what that kind asks for. `all`, `any` and `not` hold others. */
export function ConditionInput({ onRemove, ...props }: Props) {
  const { label, condition, path, kinds, errors, onChange } = props;
  return (
    <Stack gap="sm" role="group" aria-label={label}>
      <Group gap="md" align="flex-start">
        <Select
          label={label}
          w={{ base: '100%', xs: 220 }}
          data={optionsOf(kinds, condition.type)}
          value={condition.type === 'thinking_mode' ? 'thinking' : condition.type}
          allowDeselect={false}
          maxDropdownHeight={360}
          error={errors[path] ?? errors[`${path}.type`]}
          onChange={(type) => type && type !== condition.type && onChange(changed(condition, type))}
        />
        <Fields {...props} />
        {onRemove && (
          <ActionIcon mt={24} aria-label={t('Remove: {label}', { label })} onClick={onRemove}>
            <IconTrash size={16} />
          </ActionIcon>
        )}
      </Group>
      <Nested {...props} />
    </Stack>
  );
}

function Fields({ condition, path, kinds, errors, onChange }: Props): ReactNode {
  const text = (name: string, label: string, placeholder = '', type = 'text') => (
    <TextInput
      label={label}
      type={type}
      placeholder={placeholder}
      value={String(condition[name] ?? '')}
      error={errors[`${path}.${name}`]}
      onChange={(event) => onChange({ ...condition, [name]: event.currentTarget.value })}
    />
  );
  const whole = (name: string, label: string, placeholder = '') => (
    <NumberField
      label={label}
      placeholder={placeholder}
      w={150}
      min={0}
      decimals={0}
      step={1000}
      value={typeof condition[name] === 'number' ? condition[name] : ''}
      error={errors[`${path}.${name}`]}
      onChange={(value) => onChange(setting(condition, name, value))}
    />
  );
  switch (condition.type) {
    case 'token_count':
      return (
        <>
          {whole('min', t('At least'), t('no limit'))}
          {whole('max', t('At most'), t('no limit'))}
        </>
      );
    case 'has_tools':
      return whole('min_count', t('At least this many'), '1');
    case 'model_pattern':
      return text('pattern', t('Pattern: * ? [abc]'), 'claude-*');
    case 'path':
      return text('pattern', t('Pattern: * ? [abc]'), '/v1/embeddings');
    case 'dialect':
      return (
        <Select
          label={t('Dialect')}
          data={DIALECTS}
          value={String(condition.equals ?? '')}
          allowDeselect={false}
          error={errors[`${path}.equals`]}
          onChange={(equals) => equals && onChange({ ...condition, equals })}
        />
      );
    case 'header':
      return (
        <>
          {text('name', t('Name'), 'x-team')}
          {text('equals', t('Value'))}
        </>
      );
    case 'time':
      return (
        <>
          {text('from', t('From'), '', 'time')}
          {text('to', t('To'), '', 'time')}
        </>
      );
    case 'script':
      return text('path', t('File in scripts/'), 'night.rhai');
    default:
      return kinds.some(({ name, plugin }) => plugin !== null && name === condition.type) ? (
        <PluginCondition key={condition.type} condition={condition} error={errors[path]} onChange={onChange} />
      ) : null;
  }
}

function Nested({ condition, path, kinds, errors, onChange }: Props): ReactNode {
  const shared = { kinds, errors };
  if (condition.type === 'not') {
    const one = (condition.condition as Condition | undefined) ?? fresh('always');
    return (
      <div className={classes.nested}>
        <ConditionInput
          {...shared}
          label={t('This')}
          condition={one}
          path={`${path}.condition`}
          onChange={(next) => onChange({ ...condition, condition: next })}
        />
      </div>
    );
  }
  if (condition.type !== 'all' && condition.type !== 'any') return null;
  const several = inner(condition);
  const put = (conditions: Condition[]) => onChange({ ...condition, conditions });
  return (
    <div className={classes.nested}>
      <Stack gap="md">
        {several.map((one, index) => (
          <ConditionInput
            {...shared}
            key={index}
            label={t('Condition {index}', { index: index + 1 })}
            condition={one}
            path={`${path}.conditions[${index}]`}
            onChange={(next) => put(several.map((other, at) => (at === index ? next : other)))}
            onRemove={() => put(several.filter((_, at) => at !== index))}
          />
        ))}
        {errors[`${path}.conditions`] && (
          <Text size="sm" c="var(--jf-bad)">
            {errors[`${path}.conditions`]}
          </Text>
        )}
        <Button
          variant="default"
          size="compact-sm"
          className={classes.start}
          leftSection={<IconPlus size={14} aria-hidden="true" />}
          onClick={() => put([...several, fresh('always')])}
        >
          {t('Add a condition')}
        </Button>
      </Stack>
    </div>
  );
}

/** What was written stays where the new kind has a place for it. */
function changed(condition: Condition, type: string): Condition {
  const next = fresh(type);
  const groups = (kind: string) => kind === 'all' || kind === 'any';
  if (groups(type) && groups(condition.type)) return { ...next, conditions: inner(condition) };
  if (groups(type)) return { ...next, conditions: [condition] };
  if (type === 'not') return { ...next, condition };
  return next;
}

function setting(condition: Condition, name: string, value: string | number): Condition {
  const { [name]: _, ...rest } = condition;
  return (value === '' ? rest : { ...condition, [name]: Number(value) }) as Condition;
}

function optionsOf(kinds: Props['kinds'], present: string) {
  const own = KINDS.map(({ type, label }) => ({ value: type, label }));
  const added = kinds
    .filter(({ plugin }) => plugin !== null)
    .map(({ name, plugin }) => ({ value: name, label: `${name} (${plugin})` }));
  const known = [...own, ...added].some(({ value }) => value === present) || present === 'thinking_mode';
  return [...own, ...added, ...(known || !present ? [] : [{ value: present, label: present }])];
}
