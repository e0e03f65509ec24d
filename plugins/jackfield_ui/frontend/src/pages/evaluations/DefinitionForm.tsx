import {
  Alert,
  Button,
  Fieldset,
  Group,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, body } from '../../api/client';
import { messageOf } from '../../api/errors';
import { NumberField } from '../../components/numbers/NumberField';
import { t } from '../../language/messages';
import { useWorkflowNames } from '../executions/queries';
import { type Draft, definitionOf, draftOf, EMPTY, newScorer } from './model';
import { type Definition, useProfiles } from './queries';
import { Scorers } from './Scorers';

const TABLES = 100;
const TARGETS = [
  { value: 'workflow', label: t('Workflow') },
  { value: 'profile', label: t('Profile') },
];

function useTables() {
  const query = { limit: TABLES, sortBy: 'name' as const, order: 'asc' as const };
  return useQuery({
    queryKey: ['data-tables', 'choices'],
    queryFn: ({ signal }) => body(api.GET('/api/v1/data-tables', { params: { query }, signal })),
  });
}

/** What an evaluation is. named: it is new, so that it gets a name. */
export function DefinitionForm({
  definition,
  named = false,
  readOnly = false,
  onSave,
}: {
  definition?: Readonly<Record<string, unknown>>;
  named?: boolean;
  readOnly?: boolean;
  onSave: (definition: Definition, name: string) => Promise<unknown>;
}) {
  const [draft, setDraft] = useState<Draft>(() =>
    definition ? draftOf(definition) : { ...EMPTY, scorers: [newScorer('expression', 'exact')] },
  );
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await onSave(definitionOf(draft, definition), draft.name);
    } catch (problem) {
      setError(problem instanceof SyntaxError ? t('The chat model of a judge is not JSON.') : messageOf(problem));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Fieldset variant="unstyled" disabled={readOnly}>
        <Stack maw={760}>
          {named && (
            <TextInput
              label={t('Name')}
              description={t('Letters, digits, dots, hyphens and underscores.')}
              required
              maxLength={64}
              value={draft.name}
              onChange={(event) => set({ name: event.currentTarget.value })}
            />
          )}
          <TextInput
            label={t('Description')}
            value={draft.description}
            onChange={(event) => set({ description: event.currentTarget.value })}
          />
          <TargetFields draft={draft} set={set} />
          <Templates draft={draft} set={set} />
          <Scorers scorers={draft.scorers} onChange={(scorers) => set({ scorers })} />
          <Bounds draft={draft} set={set} />
          {error && (
            <Alert color="red" role="alert">
              {error}
            </Alert>
          )}
          {!readOnly && (
            <Group>
              <Button type="submit" loading={busy}>
                {t('Save')}
              </Button>
            </Group>
          )}
        </Stack>
      </Fieldset>
    </form>
  );
}

interface Part {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
}

function TargetFields({ draft, set }: Part) {
  const tables = useTables().data?.data;
  const workflows = useWorkflowNames().data;
  const profiles = useProfiles().data;
  return (
    <>
      <Select
        label={t('Data table')}
        description={t('Its rows are the inputs and expectations.')}
        required
        searchable
        data={(tables ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={draft.tableId || null}
        onChange={(tableId) => set({ tableId: tableId ?? '' })}
      />
      <SegmentedControl
        aria-label={t('Target of the evaluation')}
        data={TARGETS}
        value={draft.kind}
        onChange={(kind) => set({ kind: kind === 'profile' ? 'profile' : 'workflow' })}
      />
      {draft.kind === 'workflow' ? (
        <>
          <Select
            label={t('Workflow')}
            required
            searchable
            data={[...(workflows ?? [])].map(([value, label]) => ({ value, label }))}
            value={draft.workflowId || null}
            onChange={(workflowId) => set({ workflowId: workflowId ?? '' })}
          />
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput
              label={t('Start node')}
              description={t('Empty: the evaluation trigger, or that of a run by hand.')}
              value={draft.start}
              onChange={(event) => set({ start: event.currentTarget.value })}
            />
            <TextInput
              label={t('Output node')}
              description={t('Empty: the last node that ran.')}
              value={draft.outputNode}
              onChange={(event) => set({ outputNode: event.currentTarget.value })}
            />
          </SimpleGrid>
        </>
      ) : (
        <>
          <Select
            label={t('Profile')}
            required
            searchable
            data={(profiles ?? []).map(({ alias }) => alias)}
            value={draft.profile || null}
            onChange={(profile) => set({ profile: profile ?? '' })}
          />
          <Textarea
            label={t('Prompt')}
            description={t('A template with the row’s values: {example}', {
              example: '=Answer briefly: {{ $json.question }}',
            })}
            required
            autosize
            minRows={3}
            value={draft.prompt}
            onChange={(event) => set({ prompt: event.currentTarget.value })}
          />
          <Select
            label={t('Answer as')}
            data={[
              { value: 'text', label: t('Text') },
              { value: 'json', label: 'JSON' },
            ]}
            allowDeselect={false}
            value={draft.outputFormat}
            onChange={(format) => set({ outputFormat: format === 'json' ? 'json' : 'text' })}
          />
        </>
      )}
    </>
  );
}

function Templates({ draft, set }: Part) {
  return (
    <>
      <TextInput
        label={t('Input')}
        description={t('A template that makes the item of the row. Empty: the row.')}
        placeholder="={{ {question: $json.text} }}"
        value={draft.input}
        onChange={(event) => set({ input: event.currentTarget.value })}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label={t('Output')}
          description={t('A template. Empty: the whole output.')}
          placeholder="={{ $json.output.answer }}"
          value={draft.output}
          onChange={(event) => set({ output: event.currentTarget.value })}
        />
        <TextInput
          label={t('Expected')}
          description={t('A template. Empty: nothing.')}
          placeholder="={{ $json.row.expected }}"
          value={draft.expected}
          onChange={(event) => set({ expected: event.currentTarget.value })}
        />
      </SimpleGrid>
    </>
  );
}

const LIMITS = [
  { key: 'rows', label: t('Most rows') },
  { key: 'seconds', label: t('Most seconds') },
  { key: 'cost', label: t('Most US dollars') },
  { key: 'tokens', label: t('Most tokens') },
] as const;

function Bounds({ draft, set }: Part) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, sm: 3 }}>
      <NumberField
        label={t('Score to pass')}
        min={0}
        max={1}
        step={0.05}
        value={draft.passScore}
        onChange={(value) => set({ passScore: Number(value) })}
      />
      <NumberField
        label={t('Rows side by side')}
        decimals={0}
        min={1}
        max={100}
        value={draft.concurrent}
        onChange={(value) => set({ concurrent: Number(value) })}
      />
      {LIMITS.map(({ key, label }) => (
        <NumberField
          key={key}
          label={label}
          placeholder={t('No separate limit')}
          min={0}
          {...(key !== 'cost' && { decimals: 0 })}
          value={draft[key]}
          onChange={(value) => set({ [key]: value === '' ? '' : Number(value) })}
        />
      ))}
    </SimpleGrid>
  );
}
