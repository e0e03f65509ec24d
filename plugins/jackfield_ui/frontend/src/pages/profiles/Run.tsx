import { Alert, Button, Group, Paper, Stack, Text, Textarea, Title } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { ApiError, messageOf } from '../../api/errors';
import blocks from '../../components/blocks.module.css';
import { CopyIcon } from '../../components/Copyable';
import { DirectoryInput } from '../../components/DirectoryInput';
import { EmptyState } from '../../components/EmptyState';
import { NumberField } from '../../components/numbers/NumberField';
import { StatusBadge } from '../../components/StatusBadge';
import { Count, Duration, Money } from '../../components/values';
import { IconAlertTriangle, IconPlayerPlay } from '../../icons/drawn';
import { rich, t } from '../../language/messages';
import classes from './profiles.module.css';
import { type Detail, type RunResult, useRun } from './queries';

/** One prompt, without a terminal: what comes out, and what it cost. */
export function Run({ profile, headless }: { profile: Detail; headless: boolean | undefined }) {
  const run = useRun(profile.alias);
  const [prompt, setPrompt] = useState('');
  const [directory, setDirectory] = useState('');
  const [timeout, setTimeLimit] = useState<number | string>('');
  const stop = useRef<AbortController | undefined>(undefined);
  const fields = run.error instanceof ApiError ? run.error.fields : {};
  const stopped = run.error instanceof DOMException;
  useEffect(() => () => stop.current?.abort(), []);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    stop.current = new AbortController();
    run.mutate({
      prompt,
      signal: stop.current.signal,
      ...(Number(timeout) ? { timeout: Number(timeout) } : {}),
      ...(directory.trim() ? { working_dir: directory.trim() } : {}),
    });
  };
  if (headless === false) {
    return (
      <EmptyState icon={IconPlayerPlay} title={t('This agent runs in a terminal only')}>
        {t('Its manifest does not say how it answers one prompt and ends.')}
      </EmptyState>
    );
  }
  return (
    <Stack className={classes.form} gap="lg">
      <form onSubmit={submit}>
        <Stack>
          <Textarea
            label={t('Prompt')}
            required
            autosize
            minRows={4}
            maxRows={16}
            value={prompt}
            onChange={(event) => setPrompt(event.currentTarget.value)}
            error={fields.prompt}
          />
          <Group grow align="flex-start">
            <DirectoryInput
              label={t('Directory')}
              placeholder={profile.working_dir ?? profile.profile_home}
              value={directory}
              onChange={setDirectory}
              error={fields.working_dir}
            />
            <NumberField
              label={t('Time limit (s)')}
              placeholder={t('The setting’s')}
              min={1}
              value={timeout}
              onChange={setTimeLimit}
              error={fields.timeout}
            />
          </Group>
          <Group gap="sm">
            <Button
              type="submit"
              leftSection={<IconPlayerPlay size={16} />}
              loading={run.isPending}
              disabled={!prompt.trim()}
            >
              {t('Run')}
            </Button>
            {run.isPending && (
              <Button variant="default" onClick={() => stop.current?.abort()}>
                {t('Stop waiting')}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
      {run.error && !stopped && (
        <Alert color="red" icon={<IconAlertTriangle />} title={t('It did not run')} role="alert">
          {messageOf(run.error)}
        </Alert>
      )}
      <div role="status" aria-busy={run.isPending}>
        {run.data && !run.isPending && <Outcome result={run.data} />}
      </div>
    </Stack>
  );
}

function Outcome({ result }: { result: RunResult }) {
  const { exit_code, timed_out, duration_ms, usage, errors } = result;
  const text = result.result ?? result.output;
  return (
    <Paper p="md" component="section" aria-label={t('Result')}>
      <Stack gap="sm">
        <Group gap="md">
          <StatusBadge
            status={exit_code === 0 && !timed_out ? 'success' : 'failed'}
            label={
              timed_out
                ? t('Timed out')
                : exit_code === 0
                  ? t('Done')
                  : t('Exit code {exitCode}', { exitCode: exit_code })
            }
          />
          <Text size="sm" c="dimmed">
            <Duration ms={duration_ms} />
          </Text>
          <Spent usage={usage} />
          <CopyIcon text={text} label={t('the output')} />
        </Group>
        <Title order={2}>{t('Output')}</Title>
        <pre className={blocks.output} tabIndex={0} role="region" aria-label={t('Output')}>
          {text || t('(nothing)')}
        </pre>
        {errors && (
          <>
            <Title order={2}>{t('Errors')}</Title>
            <pre className={blocks.output} tabIndex={0} role="region" aria-label={t('Errors')}>
              {errors}
            </pre>
          </>
        )}
      </Stack>
    </Paper>
  );
}

function Spent({ usage }: { usage: RunResult['usage'] }) {
  const tokens = Object.values((usage?.tokens ?? {}) as Record<string, number>).reduce((sum, some) => sum + some, 0);
  const cost = (usage?.cost as { total_cost?: number } | undefined)?.total_cost;
  if (!usage) {
    return (
      <Text size="sm" c="dimmed">
        {t('usage not known')}
      </Text>
    );
  }
  return (
    <Text size="sm" c="dimmed">
      {rich('{tokens} tokens{value}', {
        tokens: <Count value={tokens} short />,
        value: cost !== undefined && (
          <>
            , <Money value={cost} />
          </>
        ),
      })}
    </Text>
  );
}
