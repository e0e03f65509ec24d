import { Button, Group, Paper, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, data } from '../../api/client';
import { ApiError } from '../../api/errors';
import { notifyDone, notifyError } from '../../components/notify';
import { IconPinned, IconPinnedOff } from '../../icons/drawn';
import { t } from '../../language/messages';
import type { Registry } from './queries';

/** Stay at a commit, or go with the channel again. */
export function Pin({ state }: { state: Registry }) {
  const client = useQueryClient();
  const [ref, setRef] = useState('');
  const { mutate, error, isPending } = useMutation({
    mutationFn: (wanted: string | null) => data(api.POST('/api/registry/pin', { body: { ref: wanted } })),
    onSuccess: ({ pinned, commit }) => {
      setRef('');
      void client.invalidateQueries({ queryKey: ['registry'] });
      if (!pinned) notifyDone(t('The next sync follows the channel again.'));
      else notifyDone(pinned === commit ? t('Pinned, and in use.') : t('Pinned. The next sync fetches it.'));
    },
    onError: (failure) => {
      if (!(failure instanceof ApiError && failure.fields.ref)) notifyError(failure, t('It cannot be pinned'));
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate(ref.trim());
  };
  const problem = error instanceof ApiError ? error.fields.ref : undefined;
  return (
    <Paper p="md" component="section" aria-label={t('Pin')}>
      <Title order={2} mb="xs">
        {t('Pin')}
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        {t('A pinned registry stays at one commit. No publication and no sync moves it.')}
      </Text>
      {state.pinned ? (
        <Button
          variant="default"
          leftSection={<IconPinnedOff size={16} aria-hidden="true" />}
          loading={isPending}
          onClick={() => mutate(null)}
        >
          {t('Follow the channel again')}
        </Button>
      ) : (
        <form onSubmit={submit}>
          <Group align="flex-end" gap="sm">
            <TextInput
              label={t('Commit')}
              placeholder={state.commit ?? ''}
              required
              classNames={{ input: 'jf-mono' }}
              error={problem}
              value={ref}
              onChange={(event) => setRef(event.currentTarget.value)}
              w={{ base: '100%', xs: 360 }}
            />
            <Button
              type="submit"
              variant="default"
              leftSection={<IconPinned size={16} aria-hidden="true" />}
              loading={isPending}
            >
              {t('Pin')}
            </Button>
            {state.commit && (
              <Button variant="subtle" onClick={() => mutate(state.commit)}>
                {t('Pin the current commit')}
              </Button>
            )}
          </Group>
        </form>
      )}
    </Paper>
  );
}
