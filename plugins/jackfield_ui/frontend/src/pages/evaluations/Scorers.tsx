import { Button, Fieldset, Group, Select, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import { oneOf } from '../../api/paging';
import { NumberField } from '../../components/numbers/NumberField';
import { IconPlus, IconTrash } from '../../icons/drawn';
import { t } from '../../language/messages';
import { KINDS, newScorer, type ScorerDraft, type ScorerKind } from './model';
import { useProfiles } from './queries';

const LABELS: Record<ScorerKind, string> = {
  expression: t('Expression'),
  code: t('Code'),
  judge: t('Judge'),
  metric: t('Metric'),
};
const CHOICES = KINDS.map((value) => ({ value, label: LABELS[value] }));
const LANGUAGES = [
  { value: 'javaScript', label: 'JavaScript' },
  { value: 'python', label: 'Python' },
];
const MOST = 20;

export function Scorers({
  scorers,
  onChange,
}: {
  scorers: readonly ScorerDraft[];
  onChange: (scorers: ScorerDraft[]) => void;
}) {
  const change = (id: string, part: Partial<ScorerDraft>) =>
    onChange(scorers.map((each) => (each.id === id ? { ...each, ...part } : each)));
  return (
    <Stack>
      {scorers.map((scorer, index) => (
        <Fieldset key={scorer.id} legend={t('Scorer {index}', { index: index + 1 })}>
          <Stack gap="sm">
            <SimpleGrid cols={{ base: 1, sm: 3 }}>
              <TextInput
                label={t('Scorer name')}
                required
                maxLength={60}
                value={scorer.name}
                onChange={(event) => change(scorer.id, { name: event.currentTarget.value })}
              />
              <Select
                label={t('Kind')}
                data={CHOICES}
                allowDeselect={false}
                value={scorer.kind}
                onChange={(kind) => {
                  const next = oneOf(KINDS, kind ?? '');
                  if (next) change(scorer.id, { ...newScorer(next, scorer.name), id: scorer.id });
                }}
              />
              <NumberField
                label={t('Weight')}
                min={0}
                max={1000}
                value={scorer.weight}
                onChange={(value) => change(scorer.id, { weight: Number(value) })}
              />
            </SimpleGrid>
            <Fields scorer={scorer} set={(part) => change(scorer.id, part)} />
            {scorers.length > 1 && (
              <Group justify="flex-end">
                <Button
                  variant="subtle"
                  size="compact-sm"
                  leftSection={<IconTrash size={14} aria-hidden="true" />}
                  onClick={() => onChange(scorers.filter(({ id }) => id !== scorer.id))}
                >
                  {t('Remove scorer {index}', { index: index + 1 })}
                </Button>
              </Group>
            )}
          </Stack>
        </Fieldset>
      ))}
      {scorers.length < MOST && (
        <Group>
          <Button
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden="true" />}
            onClick={() => onChange([...scorers, newScorer('expression', '')])}
          >
            {t('Add scorer')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

interface FieldsProps {
  scorer: ScorerDraft;
  set: (part: Partial<ScorerDraft>) => void;
}

function Fields({ scorer, set }: FieldsProps) {
  if (scorer.kind === 'expression') {
    return (
      <TextInput
        label={t('Expression')}
        description={t('A number from 0 to 1, true or false, or an object with score and reason.')}
        required
        value={scorer.expression}
        onChange={(event) => set({ expression: event.currentTarget.value })}
      />
    );
  }
  if (scorer.kind === 'code') {
    return (
      <>
        <Select
          label={t('Language')}
          data={LANGUAGES}
          allowDeselect={false}
          value={scorer.language}
          onChange={(language) => set({ language: language === 'python' ? 'python' : 'javaScript' })}
        />
        <Textarea
          label={t('Program')}
          required
          autosize
          minRows={3}
          maxRows={20}
          className="jf-mono"
          value={scorer.code}
          onChange={(event) => set({ code: event.currentTarget.value })}
        />
      </>
    );
  }
  return (
    <>
      {scorer.kind === 'metric' ? (
        <TextInput
          label={t('Metric')}
          description={t('The name of a number that an Evaluation node of the workflow sets.')}
          required
          value={scorer.metric}
          onChange={(event) => set({ metric: event.currentTarget.value })}
        />
      ) : (
        <Judge scorer={scorer} set={set} />
      )}
      <SimpleGrid cols={2}>
        <NumberField
          label={t('Value of score 0')}
          value={scorer.lowest}
          onChange={(value) => set({ lowest: Number(value) })}
        />
        <NumberField
          label={t('Value of score 1')}
          value={scorer.highest}
          onChange={(value) => set({ highest: Number(value) })}
        />
      </SimpleGrid>
    </>
  );
}

function Judge({ scorer, set }: FieldsProps) {
  const profiles = useProfiles().data;
  return (
    <>
      <Textarea
        label={t('Instructions')}
        required
        autosize
        minRows={2}
        value={scorer.instructions}
        onChange={(event) => set({ instructions: event.currentTarget.value })}
      />
      <Select
        label={t('Judging profile')}
        searchable
        clearable
        data={(profiles ?? []).map(({ alias }) => alias)}
        value={scorer.profile || null}
        onChange={(profile) => set({ profile: profile ?? '' })}
      />
      <Textarea
        label={t('Chat model')}
        description={t('In place of a profile: JSON with nodeType, parameters and credentials.')}
        autosize
        minRows={1}
        className="jf-mono"
        value={scorer.model}
        onChange={(event) => set({ model: event.currentTarget.value })}
      />
    </>
  );
}
