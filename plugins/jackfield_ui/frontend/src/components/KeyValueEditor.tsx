import { ActionIcon, Button, Group, PasswordInput, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useId } from 'react';
import { IconPlus, IconTrash } from '../icons/drawn';
import { t } from '../language/messages';

export interface Pair {
  key: string;
  value: string;
  /** Shown as dots; whether it leaves the browser in clear is the server's matter. */
  secret?: boolean;
  /** What is wrong with it. */
  error?: string;
}

/** Names and values: environments, headers. `secrets` lets the user mark values as secret. */
export function KeyValueEditor({
  label,
  description,
  pairs,
  onChange,
  keyLabel = t('Name'),
  valueLabel = t('Value'),
  addLabel = t('Add'),
  secrets = false,
  readOnly = false,
}: {
  label: string;
  description?: string;
  pairs: readonly Pair[];
  onChange: (pairs: Pair[]) => void;
  keyLabel?: string;
  valueLabel?: string;
  addLabel?: string;
  secrets?: boolean;
  readOnly?: boolean;
}) {
  const id = useId();
  const put = (index: number, change: Partial<Pair>) =>
    onChange(pairs.map((pair, at) => (at === index ? { ...pair, ...change } : pair)));
  return (
    <Stack gap="sm" role="group" aria-labelledby={id}>
      <div>
        <Text fw={500} size="sm" id={id}>
          {label}
        </Text>
        {description && (
          <Text size="xs" c="dimmed">
            {description}
          </Text>
        )}
      </div>
      {pairs.map((pair, index) => {
        const Value = pair.secret ? PasswordInput : TextInput;
        return (
          <Group key={index} gap="sm" wrap="nowrap" align="flex-start">
            <TextInput
              flex={2}
              miw={0}
              className="jf-mono"
              aria-label={`${keyLabel} ${index + 1}`}
              placeholder={keyLabel}
              value={pair.key}
              readOnly={readOnly}
              error={pair.error}
              onChange={(event) => put(index, { key: event.currentTarget.value })}
            />
            <Value
              flex={3}
              miw={0}
              aria-label={t('{valueLabel} of {key}', { valueLabel, key: pair.key || index + 1 })}
              placeholder={valueLabel}
              autoComplete="off"
              value={pair.value}
              readOnly={readOnly}
              onChange={(event) => put(index, { value: event.currentTarget.value })}
            />
            {secrets && !readOnly && (
              <Switch
                mt={6}
                label={t('Secret')}
                checked={pair.secret ?? false}
                onChange={(event) => put(index, { secret: event.currentTarget.checked })}
              />
            )}
            {!readOnly && (
              <ActionIcon
                aria-label={t('Remove {key}', { key: pair.key || t('row {index}', { index: index + 1 }) })}
                onClick={() => onChange(pairs.filter((_, at) => at !== index))}
              >
                <IconTrash size={16} />
              </ActionIcon>
            )}
          </Group>
        );
      })}
      {!readOnly && (
        <Button
          variant="default"
          leftSection={<IconPlus size={16} />}
          style={{ alignSelf: 'flex-start' }}
          onClick={() => onChange([...pairs, { key: '', value: '' }])}
        >
          {addLabel}
        </Button>
      )}
    </Stack>
  );
}
