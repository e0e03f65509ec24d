import { Badge, Group, Select, SimpleGrid, Skeleton, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import { segment } from '../../../api/client';
import { areaPath } from '../../../app/areas';
import { useCredentialTypes } from '../../../components/credentials/kinds';
import { Failure } from '../../../components/Failure';
import { notifyError } from '../../../components/notify';
import { Warnings } from '../../../components/Warnings';
import { IconSearch } from '../../../icons/drawn';
import { t } from '../../../language/messages';
import { createWorkflow } from '../queries';
import classes from './gallery.module.css';
import { categoriesOf, documentOfTemplate, fitting, readTemplate, type Template, useTemplates } from './templates';

/** All examples; one that is chosen becomes a workflow of one's own. */
export default function Gallery({ folder }: { folder: string | null }) {
  const navigate = useNavigate();
  const { data, error, refetch } = useTemplates();
  const [text, setText] = useState('');
  const [category, setCategory] = useState('');
  const all = data?.data;
  const shown = useMemo(() => fitting(all ?? [], text, category), [all, text, category]);
  const take = useMutation({
    mutationFn: async (id: string) => createWorkflow(documentOfTemplate(await readTemplate(id)), folder),
    onSuccess: ({ id }) => void navigate(`${areaPath('workflows')}/${segment(id)}`),
    onError: (problem) => notifyError(problem, t('The example cannot be used')),
  });
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />;
  return (
    <Stack>
      <Group gap="sm">
        <TextInput
          aria-label={t('Search examples')}
          placeholder={t('Search examples')}
          leftSection={<IconSearch size={16} aria-hidden="true" />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          flex={1}
          miw={200}
          data-autofocus
        />
        <Select
          aria-label={t('Category')}
          placeholder={t('All categories')}
          data={categoriesOf(all ?? [])}
          value={category || null}
          onChange={(next) => setCategory(next ?? '')}
          clearable
          w={170}
        />
      </Group>
      <Warnings title={t('Some templates cannot be read')} warnings={data?.warnings ?? []} />
      {!all && <Skeleton height={240} />}
      {all && shown.length === 0 && <Text c="dimmed">{t('No example matches.')}</Text>}
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" component="ul" p={0} m={0}>
        {shown.map((template) => (
          <Card key={template.id} template={template} busy={take.isPending} onTake={() => take.mutate(template.id)} />
        ))}
      </SimpleGrid>
    </Stack>
  );
}

function Card({ template, busy, onTake }: { template: Template; busy: boolean; onTake: () => void }) {
  const { name, description, category, credentials } = template;
  const known = useCredentialTypes();
  const kinds = [...new Set(credentials.map(({ kind }) => known.data?.get(kind)?.title ?? kind))];
  return (
    <li className={classes.item}>
      <UnstyledButton className={classes.card} disabled={busy} onClick={onTake}>
        <Group justify="space-between" wrap="nowrap" align="flex-start" gap="xs">
          <Text fw={600}>{name}</Text>
          <Badge variant="light" size="sm" tt="none" flex="none">
            {category}
          </Badge>
        </Group>
        <Text size="sm" c="dimmed">
          {description}
        </Text>
        {kinds.length > 0 && <Text size="xs">{t('Needs credentials: {kinds}', { kinds: kinds.join(', ') })}</Text>}
      </UnstyledButton>
    </li>
  );
}
