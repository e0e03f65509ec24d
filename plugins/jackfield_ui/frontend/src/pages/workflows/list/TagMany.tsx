import { Button, Group, MultiSelect, Stack, TagsInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { api, body } from '../../../api/client';
import { type BulkReport, eachOf } from '../../../components/eachOf';
import { Modal } from '../../../components/Modal';
import { notifyError } from '../../../components/notify';
import { t } from '../../../language/messages';
import { useTags } from '../queries';
import { workflows } from './Chosen';

const MOST = 100;

/** Gives tags to many workflows, and takes some from them; the others of each stay. */
export default function TagMany({
  ids,
  onDone,
  onClose,
}: {
  ids: readonly string[];
  onDone: (report: BulkReport<string>) => void;
  onClose: () => void;
}) {
  const { data: known = [] } = useTags();
  const names = known.map(({ name }) => name);
  const form = useForm({ initialValues: { added: [] as string[], removed: [] as string[] } });
  const { added, removed } = form.values;
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      const given = await Promise.all(added.map((name) => known.find((tag) => tag.name === name)?.id ?? created(name)));
      const taken = new Set(known.filter(({ name }) => removed.includes(name)).map(({ id }) => id));
      return eachOf(ids, (id) => retag(id, given, taken));
    },
    onSuccess: onDone,
    onError: (error) => notifyError(error),
  });
  return (
    <Modal opened onClose={onClose} title={t('Tags of {workflows}', { workflows: workflows(ids.length) })}>
      <form onSubmit={form.onSubmit(() => mutate())}>
        <Stack>
          <TagsInput
            label={t('Add')}
            data={names.filter((name) => !removed.includes(name))}
            maxTags={MOST}
            maxLength={255}
            placeholder={added.length ? '' : t('Choose tags, or type a new one')}
            data-autofocus
            {...form.getInputProps('added')}
          />
          <MultiSelect
            label={t('Remove')}
            data={names.filter((name) => !added.includes(name))}
            placeholder={removed.length ? '' : t('Choose tags')}
            searchable
            {...form.getInputProps('removed')}
          />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              {t('Cancel')}
            </Button>
            <Button type="submit" loading={isPending} disabled={added.length + removed.length === 0}>
              {t('Apply')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

async function created(name: string): Promise<string> {
  return (await body(api.POST('/api/v1/tags', { body: { name } }))).id;
}

async function retag(workflow: string, given: readonly string[], taken: ReadonlySet<string>): Promise<void> {
  const params = { path: { workflow_id: workflow } };
  const present = await body(api.GET('/api/v1/workflows/{workflow_id}/tags', { params }));
  const kept = present.data.map(({ id }) => id).filter((id) => !taken.has(id));
  const wanted = [...new Set([...kept, ...given])].map((id) => ({ id }));
  await api.PUT('/api/v1/workflows/{workflow_id}/tags', { params, body: wanted });
}
