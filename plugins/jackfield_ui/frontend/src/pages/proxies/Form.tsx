import { Accordion, Button, Group, Select, Stack, Switch, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { NumberField } from '../../components/numbers/NumberField';
import { IconPlus } from '../../icons/drawn';
import { t } from '../../language/messages';
import { Aliases } from './Aliases';
import { BudgetInputs } from './BudgetInputs';
import { LimitInputs } from './LimitInputs';
import { type Draft, type Errors, fresh, nextKey, type Rule } from './model';
import { useKinds } from './queries';
import { RuleRow } from './RuleRow';

export interface FormProps {
  draft: Draft;
  errors: Errors;
  /** path: what has changed, whose errors are out of date; none: all of them. */
  onChange: (draft: Draft, path?: string) => void;
}

const STRATEGIES: Record<string, string> = {
  Conditional: t('The first rule that fits'),
  Simple: t('The first rule, whatever its condition'),
  Fallback: t('The first rule that fits; when it fails, the next'),
  Weighted: t('One of those that fit at random, by weight'),
  RoundRobin: t('Those that fit in turn'),
  LeastBusy: t('The target with the fewest requests in flight'),
  LowestLatency: t('The target that began its answers fastest'),
  LowestCost: t('The cheapest target by the price list'),
};

export function Form({ alias, draft, errors, onChange }: FormProps & { alias: string }) {
  const kinds = useKinds();
  const [opened, setOpened] = useState<number>();
  const strategies = kinds.data?.strategies ?? Object.keys(STRATEGIES).map((name) => ({ name, plugin: null }));
  const put = (index: number, rule: Rule & { key: number }, field: string) =>
    onChange(
      { ...draft, rules: draft.rules.map((one, at) => (at === index ? rule : one)) },
      `routing.rules[${index}].${field}`,
    );
  const add = () => {
    const key = nextKey();
    const lowest = draft.rules.at(-1)?.priority ?? 20;
    const rule = {
      key,
      name: unused(draft),
      condition: fresh('always'),
      target: '',
      priority: Math.max(0, lowest - 10),
    };
    onChange({ ...draft, rules: [...draft.rules, rule] });
    setOpened(key);
  };

  return (
    <Stack gap="lg">
      <Group gap="lg" align="flex-start">
        <Switch
          mt={26}
          label={t('Enabled')}
          checked={draft.enabled}
          onChange={(event) => onChange({ ...draft, enabled: event.currentTarget.checked }, 'enabled')}
        />
        <Select
          label={t('Strategy')}
          description={STRATEGIES[draft.strategy] ?? pluginOf(strategies, draft.strategy)}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          w={{ base: '100%', xs: 320 }}
          data={strategies.map(({ name, plugin }) => ({ value: name, label: plugin ? `${name} (${plugin})` : name }))}
          value={draft.strategy}
          allowDeselect={false}
          error={errors['routing.strategy']}
          onChange={(strategy) => onChange({ ...draft, strategy: strategy ?? 'Conditional' }, 'routing.strategy')}
        />
        <NumberField
          label={t('Port')}
          placeholder={t('Any free one')}
          w={140}
          min={1}
          max={65_535}
          grouped={false}
          decimals={0}
          value={draft.port ?? ''}
          error={errors.port}
          onChange={(port) => onChange({ ...draft, port: port === '' ? undefined : Number(port) }, 'port')}
        />
      </Group>

      <section>
        <Group justify="space-between" mb="sm">
          <Title order={2}>{t('Rules')}</Title>
          <Button variant="default" leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={add}>
            {t('Add a rule')}
          </Button>
        </Group>
        {errors['routing.rules'] && (
          <Text c="var(--jf-bad)" size="sm" mb="sm">
            {errors['routing.rules']}
          </Text>
        )}
        {draft.rules.length === 0 ? (
          <Text c="dimmed">
            {t('No rules yet: every request goes to the provider of {alias} with the model that was asked for.', {
              alias,
            })}
          </Text>
        ) : (
          <Stack gap="sm">
            {draft.rules.map((rule, index) => (
              <RuleRow
                key={rule.key}
                rule={rule}
                path={`routing.rules[${index}]`}
                weighted={draft.strategy === 'Weighted'}
                opened={opened === rule.key}
                onOpen={(open) => setOpened(open ? rule.key : undefined)}
                kinds={kinds.data?.conditions ?? []}
                errors={errors}
                onChange={(next, field) => put(index, { ...next, key: rule.key }, field)}
                onRemove={() => onChange({ ...draft, rules: draft.rules.filter((one) => one !== rule) })}
              />
            ))}
          </Stack>
        )}
      </section>

      <Accordion multiple variant="contained" order={2}>
        <Part name="aliases" title={t('Model aliases')} count={draft.aliases.length}>
          <Aliases {...{ draft, errors, onChange }} />
        </Part>
        <Part name="sticky" title={t('Conversations that stay')} count={draft.sticky === undefined ? 0 : 1}>
          <Sticky {...{ draft, errors, onChange }} />
        </Part>
        <Part name="limits" title={t('Requests in flight')} count={draft.providers.length}>
          <LimitInputs {...{ draft, errors, onChange }} />
        </Part>
        <Part
          name="budgets"
          title={t('Budgets')}
          count={Object.keys({ ...draft.day }).length + Object.keys(draft.month).length}
        >
          <BudgetInputs {...{ draft, errors, onChange }} />
        </Part>
      </Accordion>
    </Stack>
  );
}

function Part({
  name,
  title,
  count,
  children,
}: {
  name: string;
  title: string;
  count: number;
  children: React.ReactNode;
}) {
  return (
    <Accordion.Item value={name}>
      <Accordion.Control>
        <Text span fw={600}>
          {title}
        </Text>{' '}
        <Text span c="dimmed" size="sm">
          {count ? t('{count} set', { count }) : t('none')}
        </Text>
      </Accordion.Control>
      <Accordion.Panel>{children}</Accordion.Panel>
    </Accordion.Item>
  );
}

function Sticky({ draft, errors, onChange }: FormProps) {
  const put = (sticky: number | undefined) => onChange({ ...draft, sticky }, 'routing.sticky');
  return (
    <Group gap="lg" align="flex-start">
      <Switch
        label={t('Keep each conversation on its target')}
        description={t('Providers cache the start of a prompt, so a switch costs money.')}
        checked={draft.sticky !== undefined}
        onChange={(event) => put(event.currentTarget.checked ? 300 : undefined)}
      />
      {draft.sticky !== undefined && (
        <NumberField
          label={t('Seconds after a request')}
          decimals={0}
          min={1}
          max={86_400}
          w={240}
          value={draft.sticky}
          error={errors['routing.sticky.Sticky.ttl'] ?? errors['routing.sticky.ttl'] ?? errors['routing.sticky']}
          onChange={(ttl) => put(Number(ttl) || 0)}
        />
      )}
    </Group>
  );
}

function pluginOf(strategies: readonly { name: string; plugin: string | null }[], name: string): string {
  const plugin = strategies.find((one) => one.name === name)?.plugin;
  return plugin ? t('Provided by the plugin {plugin}', { plugin }) : '';
}

function unused(draft: Draft): string {
  const names = new Set(draft.rules.map(({ name }) => name));
  let number = draft.rules.length + 1;
  while (names.has(t('rule {number}', { number }))) number += 1;
  return t('rule {number}', { number });
}
