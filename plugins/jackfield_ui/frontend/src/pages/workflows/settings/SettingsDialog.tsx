import { Button, Group, Radio, Select, Stack, Switch, TagsInput, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, body } from '../../../api/client';
import { Modal } from '../../../components/Modal';
import { NumberField } from '../../../components/numbers/NumberField';
import { t } from '../../../language/messages';
import { useStore } from '../model/store';
import { readWorkflow, useTags } from '../queries';
import { OfferAsTool } from './OfferAsTool';
import { errorsOf, offerOf, withOffer } from './offer';
import { type Settings, settingsOf, tagsOf, withSettings } from './settings';

const ZONES = Intl.supportedValuesOf('timeZone');
const POLICIES = [
  { value: 'any', label: t('Any workflow') },
  { value: 'workflowsFromAList', label: t('The workflows listed below') },
  { value: 'none', label: t('No workflow') },
];

/** Settings of the workflow as a whole. They change the document on the canvas, which then is saved as always. */
export default function SettingsDialog({ editable, onClose }: { editable: boolean; onClose: () => void }) {
  const store = useStore();
  const [draft, setDraft] = useState<Settings>(() => settingsOf(store.doc));
  const [tags, setTags] = useState(() => tagsOf(store.doc));
  const [offer, setOffer] = useState(() => offerOf(store.doc));
  const errors = errorsOf(offer);
  const { data: known = [] } = useTags();
  const change = (next: Partial<Settings>) => setDraft((now) => ({ ...now, ...next }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (Object.keys(errors).length) return;
    store.commit((doc) => {
      const next = withOffer(withSettings(doc, draft), offer);
      return String(tags) === String(tagsOf(doc)) ? next : { ...next, tags };
    });
    onClose();
  };
  return (
    <Modal opened onClose={onClose} title={t('Workflow settings')} size="lg">
      <form onSubmit={submit}>
        <fieldset disabled={!editable} style={{ border: 0, padding: 0, margin: 0, minWidth: 0 }}>
          <Stack gap="md">
            <TagsInput
              label={t('Tags')}
              data={known.map(({ name }) => name)}
              value={tags}
              onChange={setTags}
              maxTags={100}
              maxLength={255}
              clearable
              placeholder={tags.length ? '' : t('Choose tags, or type a new one')}
            />
            <ErrorWorkflow value={draft.errorWorkflow} onChange={(errorWorkflow) => change({ errorWorkflow })} />
            <Select
              label={t('Time zone')}
              description={t('For schedules and dates. Without one, the daemon’s own applies.')}
              data={draft.timezone && !ZONES.includes(draft.timezone) ? [draft.timezone, ...ZONES] : ZONES}
              value={draft.timezone || null}
              onChange={(zone) => change({ timezone: zone ?? '' })}
              placeholder={t('The daemon’s')}
              searchable
              clearable
              limit={100}
            />
            <NumberField
              label={t('Time limit, in seconds')}
              description={t('A run that takes longer ends as failed. Empty: no limit.')}
              min={1}
              max={31_536_000}
              value={draft.timeout}
              onChange={(seconds) => change({ timeout: typeof seconds === 'number' ? seconds : '' })}
            />
            <NumberField
              label={t('Time saved by one execution, in minutes')}
              description={t('The page Insights counts it for each success. Empty: none.')}
              min={0}
              max={525_600}
              value={draft.saved}
              onChange={(saved) => change({ saved: typeof saved === 'number' && saved > 0 ? saved : '' })}
            />
            <Radio.Group
              label={t('Order of branches')}
              value={draft.order}
              onChange={(order) => change({ order: order === 'v1' ? 'v1' : 'v0' })}
            >
              <Stack gap={6} mt={6}>
                <Radio value="v1" label={t('One branch to its end, then the next, from top to bottom (recommended)')} />
                <Radio value="v0" label={t('The first node of each branch, then the second, and so on')} />
              </Stack>
            </Radio.Group>
            <Kept draft={draft} change={change} />
            <Select
              label={t('May be called by')}
              description={t('The workflows that may start this one as a sub-workflow or error workflow.')}
              data={POLICIES}
              value={draft.callerPolicy}
              onChange={(policy) => change({ callerPolicy: (policy ?? 'any') as Settings['callerPolicy'] })}
              allowDeselect={false}
            />
            {draft.callerPolicy === 'workflowsFromAList' && (
              <TextInput
                label={t('IDs of these workflows')}
                description={t('Separated by commas. An ID stands in the address of its workflow.')}
                value={draft.callerIds}
                onChange={(event) => change({ callerIds: event.currentTarget.value })}
              />
            )}
            <OfferAsTool offer={offer} errors={errors} change={(next) => setOffer((now) => ({ ...now, ...next }))} />
          </Stack>
        </fieldset>
        <Group justify="space-between" mt="lg">
          <Text size="sm" c="dimmed">
            {t('Settings apply once you save the workflow.')}
          </Text>
          <Group gap="sm">
            <Button variant="default" onClick={onClose}>
              {editable ? t('Cancel') : t('Close')}
            </Button>
            {editable && <Button type="submit">{t('Apply')}</Button>}
          </Group>
        </Group>
      </form>
    </Modal>
  );
}

function Kept({ draft, change }: { draft: Settings; change: (next: Partial<Settings>) => void }) {
  return (
    <Stack gap={6} component="section" aria-labelledby="kept-executions">
      <Title order={3} id="kept-executions" fz="sm" fw={500}>
        {t('Keep executions')}
      </Title>
      <Switch
        label={t('Successful executions')}
        checked={draft.saveSuccess}
        onChange={(event) => change({ saveSuccess: event.currentTarget.checked })}
      />
      <Switch
        label={t('Failed executions')}
        checked={draft.saveFailed}
        onChange={(event) => change({ saveFailed: event.currentTarget.checked })}
      />
      <Switch
        label={t('Manual and test executions')}
        checked={draft.saveManual}
        onChange={(event) => change({ saveManual: event.currentTarget.checked })}
      />
    </Stack>
  );
}

/** Searched by name, as there may be thousands. */
function ErrorWorkflow({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const [search, setSearch] = useState('');
  const named = useQuery({
    queryKey: ['workflows', value, 'name'],
    queryFn: async ({ signal }) => (await readWorkflow(value, signal)).doc.name,
    enabled: value !== '',
    retry: false,
  });
  const wanted = search === named.data ? '' : search;
  const { data: rows = [] } = useQuery({
    queryKey: ['workflows', 'choices', wanted],
    queryFn: async ({ signal }) => {
      const query = { search: wanted, order: 'name', limit: 50 } as const;
      return (await body(api.GET('/api/v1/workflows', { params: { query }, signal }))).data;
    },
  });
  const choices = new Map(rows.map(({ id, name }) => [id, name]));
  if (value && !choices.has(value))
    choices.set(value, named.data ?? (named.error ? t('{value} (not found)', { value }) : value));
  return (
    <Select
      label={t('Error workflow')}
      description={t('Runs when this workflow fails. It needs an Error Trigger.')}
      data={[...choices].map(([id, name]) => ({ value: id, label: name }))}
      value={value || null}
      onChange={(id) => onChange(id ?? '')}
      onSearchChange={setSearch}
      filter={({ options }) => options}
      placeholder={t('None')}
      searchable
      clearable
    />
  );
}
