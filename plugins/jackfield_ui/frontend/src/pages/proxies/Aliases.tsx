import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '../../icons/drawn';
import { t } from '../../language/messages';
import type { FormProps } from './Form';
import { nextKey } from './model';
import classes from './proxies.module.css';
import { TargetInput } from './TargetInput';

/** Names that lead to a target before any rule is looked at. */
export function Aliases({ draft, errors, onChange }: FormProps) {
  const put = (index: number, change: { name?: string; target?: string }, path: string) =>
    onChange({ ...draft, aliases: draft.aliases.map((one, at) => (at === index ? { ...one, ...change } : one)) }, path);
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {t('A request for one of these models goes to its target before any rule.')}
      </Text>
      {draft.aliases.map(({ key, name, target }, index) => {
        const path = `model_aliases.${name}`;
        const twice = draft.aliases.some((one, at) => at < index && one.name === name);
        return (
          <Group
            key={key}
            gap="md"
            align="flex-start"
            wrap="wrap"
            role="group"
            aria-label={t('Alias {name}', { name })}
          >
            <TextInput
              label={t('Requested model')}
              value={name}
              error={twice ? t('This name is already above.') : name === '' && t('Enter a name.')}
              onChange={(event) => put(index, { name: event.currentTarget.value }, path)}
            />
            <div className={classes.grow}>
              <TargetInput
                target={target}
                error={errors[path]}
                onChange={(next) => put(index, { target: next }, path)}
              />
            </div>
            <ActionIcon
              mt={24}
              aria-label={t('Remove the alias {name}', { name })}
              onClick={() => onChange({ ...draft, aliases: draft.aliases.filter((_, at) => at !== index) }, path)}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Group>
        );
      })}
      <Button
        variant="default"
        className={classes.start}
        leftSection={<IconPlus size={16} aria-hidden="true" />}
        onClick={() =>
          onChange({ ...draft, aliases: [...draft.aliases, { key: nextKey(), name: '', target: '' }] }, 'model_aliases')
        }
      >
        {t('Add an alias')}
      </Button>
    </Stack>
  );
}
