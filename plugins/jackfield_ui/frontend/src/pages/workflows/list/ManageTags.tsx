import { ActionIcon, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, body } from '../../../api/client';
import { confirm } from '../../../components/confirm';
import { Modal } from '../../../components/Modal';
import { notifyError } from '../../../components/notify';
import { TextDialog, type TextQuestion } from '../../../components/TextDialog';
import { IconPencil, IconTrash } from '../../../icons/drawn';
import { t } from '../../../language/messages';
import { useTags } from '../queries';

/** All tags, and what may be done to them. */
export default function ManageTags({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const { data: tags } = useTags();
  const [question, setQuestion] = useState<TextQuestion>();
  const reread = () => client.invalidateQueries({ queryKey: ['workflows'] });
  const make: TextQuestion = {
    title: t('New tag'),
    label: t('Name'),
    action: t('Create'),
    run: async (name) => {
      await body(api.POST('/api/v1/tags', { body: { name } }));
      await reread();
    },
  };
  const rename = ({ id, name }: { id: string; name: string }): TextQuestion => ({
    ...make,
    title: t('Rename the tag “{name}”', { name }),
    initial: name,
    action: t('Rename'),
    run: async (next) => {
      await body(api.PUT('/api/v1/tags/{tag_id}', { params: { path: { tag_id: id } }, body: { name: next } }));
      await reread();
    },
  });
  const remove = async ({ id, name }: { id: string; name: string }) => {
    const text = t('Its workflows stay, without the tag.');
    if (!(await confirm({ title: t('Delete the tag “{name}”?', { name }), body: text, action: t('Delete') }))) return;
    await api.DELETE('/api/v1/tags/{tag_id}', { params: { path: { tag_id: id } } }).catch(notifyError);
    await reread();
  };
  return (
    <Modal opened onClose={onClose} title={t('Tags')}>
      <Stack>
        {!tags && <Skeleton height={80} />}
        {tags?.length === 0 && <Text c="dimmed">{t('There are no tags yet.')}</Text>}
        <Stack gap={4} component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
          {tags?.map((tag) => (
            <Group key={tag.id} component="li" justify="space-between" wrap="nowrap">
              <Text style={{ overflowWrap: 'anywhere' }}>{tag.name}</Text>
              <Group gap={4} wrap="nowrap">
                <ActionIcon
                  aria-label={t('Rename the tag “{name}”', { name: tag.name })}
                  onClick={() => setQuestion(rename(tag))}
                >
                  <IconPencil size={16} />
                </ActionIcon>
                <ActionIcon
                  aria-label={t('Delete the tag “{name}”', { name: tag.name })}
                  onClick={() => void remove(tag)}
                >
                  <IconTrash size={16} />
                </ActionIcon>
              </Group>
            </Group>
          ))}
        </Stack>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => setQuestion(make)}>
            {t('New tag')}
          </Button>
        </Group>
      </Stack>
      {question && <TextDialog question={question} onClose={() => setQuestion(undefined)} />}
    </Modal>
  );
}
