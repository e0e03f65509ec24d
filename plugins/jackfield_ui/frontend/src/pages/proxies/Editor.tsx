import { Alert, Button, Grid, Group, List, SegmentedControl, Stack, Text } from '@mantine/core';
import { type FormErrors, useForm } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { useMemo, useState } from 'react';
import { ApiError, messageOf } from '../../api/errors';
import { useMay } from '../../app/session';
import { useShortcuts } from '../../app/shortcuts';
import { ChangedElsewhere } from '../../components/ChangedElsewhere';
import { CodeEditor } from '../../components/CodeEditor';
import { drafted } from '../../components/drafting';
import { notifyDone, notifyError } from '../../components/notify';
import { useUnsaved } from '../../components/unsaved';
import { t } from '../../language/messages';
import { Form } from './Form';
import { below, configOf, type Draft, draftOf, type Errors, fieldErrors } from './model';
import { isUnread } from './pluginFields';
import classes from './proxies.module.css';
import { isChanged, useSave } from './queries';
import { Tester } from './Tester';

const NO_ERRORS: Errors = {};
const TEST_AFTER = 300;

/** The configuration as a form or as JSON, and beside it the tester, which tries what is written here. */
export function Editor({
  alias,
  stored,
  tag,
}: {
  alias: string;
  stored: Record<string, unknown>;
  /** The version of what is stored. */
  tag: string | undefined;
}) {
  const [begun] = useState(() => draftOf(stored));
  const form = useForm<Draft>({ initialValues: begun });
  const draft = form.values;
  const [text, setText] = useState<string>();
  const errors = useMemo(() => saidOf(form.errors), [form.errors]);
  const save = useSave(alias);
  const may = useMay('member');

  const parsed = useMemo(() => (text === undefined ? { config: configOf(draft) } : parse(text)), [draft, text]);
  const [tried] = useDebouncedValue(parsed.config, TEST_AFTER);
  const now = useMemo(() => plain(stored), [stored]);
  const [base, setBase] = useState(now);
  const mine = parsed.config === undefined ? t('not JSON: {text}', { text }) : plain(parsed.config);
  const state = drafted(mine, base, now);
  const unread = text === undefined && draft.rules.some(({ condition }) => isUnread(condition));
  const changed = state === 'dirty' || state === 'outdated' || unread;
  useUnsaved(changed, t('the rules'));

  const change = (next: Draft, path?: string) => {
    form.setValues(next);
    form.setErrors(path ? without(errors, path) : NO_ERRORS);
  };
  const take = (config: Record<string, unknown>) => {
    const next = draftOf(config);
    form.setValues(next);
    setBase(JSON.stringify(configOf(next)));
    setText((before) => (before === undefined ? undefined : JSON.stringify(config, null, 2)));
    form.clearErrors();
  };
  if (state === 'follow' && !unread) take(stored);
  const store = () => {
    if (!may || state !== 'dirty' || unread || parsed.config === undefined || save.isPending) return;
    const sent = { config: parsed.config, tag };
    save.mutate(sent, {
      onSuccess: ({ value }) => {
        take(value);
        notifyDone(t('Saved. New requests use it right away.'));
      },
      onError: (error) => {
        if (error instanceof ApiError && error.status === 400) form.setErrors(fieldErrors(error.fields));
        else if (!isChanged(error)) notifyError(error);
      },
    });
  };
  useShortcuts([{ keys: 'mod+S', label: t('Save the rules'), run: store, inFields: true }]);

  const show = (view: string) => {
    if (view === 'json') setText(JSON.stringify(parsed.config, null, 2));
    else if (parsed.config !== undefined) {
      form.setValues(draftOf(parsed.config));
      setText(undefined);
    }
  };
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, lg: 8 }}>
        <Stack gap="md">
          <Group justify="space-between">
            <SegmentedControl
              aria-label={t('Show the rules as')}
              data={[
                { value: 'form', label: t('Form') },
                { value: 'json', label: 'JSON' },
              ]}
              value={text === undefined ? 'form' : 'json'}
              onChange={show}
            />
            {may && (
              <Group gap="sm">
                {changed && <Text c="dimmed">{t('Not saved yet')}</Text>}
                <Button variant="default" disabled={!changed} onClick={() => take(stored)}>
                  {t('Discard')}
                </Button>
                <Button
                  disabled={state !== 'dirty' || unread || parsed.config === undefined}
                  loading={save.isPending}
                  onClick={store}
                >
                  {t('Save')}
                </Button>
              </Group>
            )}
          </Group>
          {parsed.problem && (
            <Alert color="red" role="alert" title={t('This is not JSON yet')}>
              {parsed.problem}
            </Alert>
          )}
          <Problems errors={errors} />
          {state === 'outdated' && (
            <ChangedElsewhere
              title={t('The rules were changed elsewhere')}
              onReload={() => take(stored)}
              onKeep={() => setBase(now)}
            />
          )}
          {text === undefined ? (
            <fieldset disabled={!may} className={classes.plain}>
              <Form alias={alias} draft={draft} errors={errors} onChange={change} />
            </fieldset>
          ) : (
            <CodeEditor
              label={t('Configuration as JSON')}
              language="json"
              value={text}
              onChange={setText}
              readOnly={!may}
              minHeight={360}
              maxHeight="70vh"
            />
          )}
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 4 }}>{may && <Tester alias={alias} draft={draft} config={tried} />}</Grid.Col>
    </Grid>
  );
}

/** Errors of the form, which are texts of the daemon. */
function saidOf(errors: FormErrors): Errors {
  return Object.fromEntries(
    Object.entries(errors).flatMap(([path, why]) => (typeof why === 'string' ? [[path, why]] : [])),
  );
}

/** What tells two configurations apart. */
function plain(config: Record<string, unknown>): string {
  return JSON.stringify(configOf(draftOf(config)));
}

function Problems({ errors }: { errors: Errors }) {
  const found = Object.entries(errors);
  if (found.length === 0) return null;
  return (
    <Alert color="red" role="alert" title={t('Not saved: the configuration is not valid')}>
      <List size="sm">
        {found.map(([path, why]) => (
          <List.Item key={path} style={{ overflowWrap: 'anywhere' }}>
            <span className="jf-mono">{path}</span>: {why}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

function parse(text: string): { config?: Record<string, unknown>; problem?: string } {
  try {
    const config: unknown = JSON.parse(text);
    if (typeof config === 'object' && config !== null && !Array.isArray(config)) {
      return { config: config as Record<string, unknown> };
    }
    return { problem: t('The configuration is an object: {example}', { example: '{ ... }' }) };
  } catch (failure) {
    return { problem: messageOf(failure) };
  }
}

/** What was said of a field is no longer true once it has changed. */
function without(errors: Errors, path: string): Errors {
  if (!below(errors, path)) return errors;
  return Object.fromEntries(Object.entries(errors).filter(([field]) => !below({ [field]: '' }, path)));
}
