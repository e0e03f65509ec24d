import { Alert, Button, Grid, Group, List, SegmentedControl, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMemo, useState } from 'react';
import { ApiError, messageOf } from '../../api/errors';
import { useMay } from '../../app/session';
import { useShortcuts } from '../../app/shortcuts';
import { CodeEditor } from '../../components/CodeEditor';
import { notifyDone, notifyError } from '../../components/notify';
import { Form } from './Form';
import { below, configOf, type Draft, draftOf, type Errors, fieldErrors } from './model';
import classes from './proxies.module.css';
import { useSave } from './queries';
import { Tester } from './Tester';

const NO_ERRORS: Errors = {};
const TEST_AFTER = 300;

/** The configuration as a form or as JSON, and beside it the tester, which tries what is written here. */
export function Editor({ alias, stored }: { alias: string; stored: Record<string, unknown> }) {
  const [draft, setDraft] = useState(() => draftOf(stored));
  const [text, setText] = useState<string>();
  const [errors, setErrors] = useState(NO_ERRORS);
  const save = useSave(alias);
  const may = useMay('member');

  const parsed = useMemo(() => (text === undefined ? { config: configOf(draft) } : parse(text)), [draft, text]);
  const [tried] = useDebouncedValue(parsed.config, TEST_AFTER);
  const [base, setBase] = useState(() => JSON.stringify(configOf(draftOf(stored))));
  const changed =
    text !== undefined
      ? parsed.config === undefined || JSON.stringify(configOf(draftOf(parsed.config))) !== base
      : JSON.stringify(parsed.config) !== base;

  const change = (next: Draft, path?: string) => {
    setDraft(next);
    setErrors((before) => (path ? without(before, path) : NO_ERRORS));
  };
  const take = (config: Record<string, unknown>) => {
    const next = draftOf(config);
    setDraft(next);
    setBase(JSON.stringify(configOf(next)));
    setText((before) => (before === undefined ? undefined : JSON.stringify(config, null, 2)));
    setErrors(NO_ERRORS);
  };
  const store = () => {
    if (!may || parsed.config === undefined || save.isPending) return;
    save.mutate(parsed.config, {
      onSuccess: (saved) => {
        take(saved);
        notifyDone('Saved; new requests follow it at once.');
      },
      onError: (error) => {
        if (error instanceof ApiError && error.status === 400) setErrors(fieldErrors(error.fields));
        else notifyError(error);
      },
    });
  };
  useShortcuts([{ keys: 'mod+S', label: 'Save the rules', run: store, inFields: true }]);

  const show = (view: string) => {
    if (view === 'json') setText(JSON.stringify(parsed.config, null, 2));
    else if (parsed.config !== undefined) {
      setDraft(draftOf(parsed.config));
      setText(undefined);
    }
  };
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, lg: 8 }}>
        <Stack gap="md">
          <Group justify="space-between">
            <SegmentedControl
              aria-label="Show the rules as"
              data={[
                { value: 'form', label: 'Form' },
                { value: 'json', label: 'JSON' },
              ]}
              value={text === undefined ? 'form' : 'json'}
              onChange={show}
            />
            {may && (
              <Group gap="sm">
                {changed && <Text c="dimmed">Not saved yet</Text>}
                <Button variant="default" disabled={!changed} onClick={() => take(stored)}>
                  Discard
                </Button>
                <Button disabled={!changed || parsed.config === undefined} loading={save.isPending} onClick={store}>
                  Save
                </Button>
              </Group>
            )}
          </Group>
          {parsed.problem && (
            <Alert color="red" role="alert" title="This is not JSON yet">
              {parsed.problem}
            </Alert>
          )}
          <Problems errors={errors} />
          {text === undefined ? (
            <fieldset disabled={!may} className={classes.plain}>
              <Form alias={alias} draft={draft} errors={errors} onChange={change} />
            </fieldset>
          ) : (
            <CodeEditor
              label="Configuration as JSON"
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
      <Grid.Col span={{ base: 12, lg: 4 }}>
        <Tester alias={alias} draft={draft} config={tried} />
      </Grid.Col>
    </Grid>
  );
}

function Problems({ errors }: { errors: Errors }) {
  const found = Object.entries(errors);
  if (found.length === 0) return null;
  return (
    <Alert color="red" role="alert" title="Not saved: the configuration is not valid">
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
    return { problem: 'The configuration is an object: { ... }' };
  } catch (failure) {
    return { problem: messageOf(failure) };
  }
}

/** What was said of a field is no longer true once it has changed. */
function without(errors: Errors, path: string): Errors {
  if (!below(errors, path)) return errors;
  return Object.fromEntries(Object.entries(errors).filter(([field]) => !below({ [field]: '' }, path)));
}
