import { Autocomplete, Checkbox, Group, Paper, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { ApiError, messageOf } from '../../api/errors';
import { KeyValueEditor, type Pair } from '../../components/KeyValueEditor';
import { NumberField } from '../../components/numbers/NumberField';
import { IconAlertTriangle, IconArrowRight, IconCheck, IconMinus } from '../../icons/drawn';
import { t } from '../../language/messages';
import { type Draft, fieldErrors, targetParts } from './model';
import classes from './proxies.module.css';
import { type Asked, type RuleTest, useRuleTest } from './queries';

const TYPING = 250;
const FLAGS = [
  ['thinking', t('Asks for thinking')],
  ['image', t('Has an image')],
  ['web_search', t('Brings a web search')],
] as const;

/** Which rule would take a request, by what is written beside it. Nothing is sent. */
export function Tester({
  alias,
  draft,
  config,
}: {
  alias: string;
  draft: Draft;
  config: Record<string, unknown> | undefined;
}) {
  const [asked, setAsked] = useState<Asked>(() => ({
    model: firstModel(draft),
    tokens: 1_000,
    tools: 0,
    thinking: false,
    image: false,
    web_search: false,
    headers: {},
  }));
  const [headers, setHeaders] = useState<Pair[]>([]);
  const [settled] = useDebouncedValue(asked, TYPING);
  const tested = useRuleTest(alias, settled, config);
  const put = (change: Partial<Asked>) => setAsked((before) => ({ ...before, ...change }));
  const putHeaders = (pairs: Pair[]) => {
    setHeaders(pairs);
    put({ headers: Object.fromEntries(pairs.filter(({ key }) => key).map(({ key, value }) => [key, value])) });
  };
  const models = [
    ...new Set([
      ...draft.aliases.map(({ name }) => name),
      ...draft.rules.map(({ target }) => targetParts(target).model),
    ]),
  ];
  return (
    <Paper p="md" component="section" aria-label={t('Which rule would match')} className={classes.tester}>
      <Title order={2} mb="sm">
        {t('Which rule would match?')}
      </Title>
      <Stack gap="sm">
        <Autocomplete
          label={t('Requested model')}
          data={models.filter(Boolean)}
          value={asked.model}
          onChange={(model) => put({ model })}
        />
        <Group grow align="flex-start" gap="sm">
          <NumberField
            label={t('Tokens')}
            min={0}
            step={1_000}
            decimals={0}
            value={asked.tokens}
            onChange={(tokens) => put({ tokens: Number(tokens) || 0 })}
          />
          <NumberField
            label={t('Tools')}
            min={0}
            decimals={0}
            value={asked.tools}
            onChange={(tools) => put({ tools: Number(tools) || 0 })}
          />
        </Group>
        <TextInput
          label={t('Time of day')}
          type="time"
          value={asked.time ?? ''}
          onChange={(event) => setAsked(timed(asked, event.currentTarget.value))}
        />
        <Group gap="md">
          {FLAGS.map(([name, label]) => (
            <Checkbox
              key={name}
              label={label}
              checked={asked[name]}
              onChange={(event) => put({ [name]: event.currentTarget.checked })}
            />
          ))}
        </Group>
        <KeyValueEditor label={t('Headers')} pairs={headers} onChange={putHeaders} addLabel={t('Add a header')} />
        <div role="status" className={classes.verdict}>
          {asked.model.trim() === '' ? (
            <Text c="dimmed">{t('Name a model to see where it would go.')}</Text>
          ) : tested.error ? (
            <Text c="dimmed" size="sm">
              {said(tested.error)}
            </Text>
          ) : tested.data ? (
            <Verdict tested={tested.data} />
          ) : (
            <Skeleton height={72} />
          )}
        </div>
        {tested.data && !tested.error && tested.data.rules.length > 0 && <RuleResults tested={tested.data} />}
      </Stack>
    </Paper>
  );
}

function Verdict({ tested }: { tested: RuleTest }) {
  return (
    <Stack gap={4}>
      <Group gap={6} wrap="nowrap" align="flex-start">
        <IconArrowRight size={18} aria-hidden="true" className={classes.fixed} />
        <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
          {tested.provider} / {tested.model}
        </Text>
      </Group>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {tested.rule === null
          ? t('By no rule: {reason}.', { reason: tested.reason })
          : t('By {reason}.', { reason: tested.reason })}
      </Text>
      {tested.then.length > 0 && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {t('When that fails: {others}', {
            others: tested.then.reduce((targets, next) => t('{targets}, then {next}', { targets, next })),
          })}
        </Text>
      )}
      {!tested.usable && (
        <Group gap={6} wrap="nowrap" c="var(--jf-warn)">
          <IconAlertTriangle size={16} aria-hidden="true" className={classes.fixed} />
          <Text size="sm">
            {t('This provider cannot be reached by the proxy: its key or its endpoint is missing.')}
          </Text>
        </Group>
      )}
    </Stack>
  );
}

function RuleResults({ tested }: { tested: RuleTest }) {
  return (
    <ul className={classes.judged} aria-label={t('Rules and whether they fit')}>
      {tested.rules.map(({ name, fits }) => (
        <li key={name} data-chosen={name === tested.rule || undefined}>
          {fits ? (
            <IconCheck size={15} color="var(--jf-good)" aria-label={t('Fits:')} />
          ) : (
            <IconMinus size={15} color="var(--jf-still)" aria-label={t('Does not fit:')} />
          )}
          <span>{name}</span>
        </li>
      ))}
    </ul>
  );
}

function said(error: unknown): string {
  const [first] = error instanceof ApiError ? Object.entries(fieldErrors(error.fields)) : [];
  return first
    ? t('The configuration is not valid yet: {place}: {problem}', { place: first[0], problem: first[1] })
    : messageOf(error);
}

function firstModel(draft: Draft): string {
  return draft.aliases[0]?.name ?? targetParts(draft.rules[0]?.target ?? '').model ?? '';
}

function timed({ time: _, ...asked }: Asked, time: string): Asked {
  return time ? { ...asked, time } : asked;
}
