import { Alert, Button, Group, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Link } from 'react-router';
import { ApiError, messageOf } from '../../api/errors';
import { areaPath } from '../../app/areas';
import { useChatProfiles } from '../../components/agentChat/profiles';
import { DirectoryInput } from '../../components/DirectoryInput';
import { EmptyState } from '../../components/EmptyState';
import { Modal } from '../../components/Modal';
import { ProfileSelect } from '../../components/ProfileSelect';
import { IconAlertTriangle } from '../../icons/drawn';
import { t } from '../../language/messages';
import { useStartChat } from './queries';

/** Starts an agent in its own protocol. */
export function NewChat({
  profile: wished,
  onOpen,
  onClose,
}: {
  profile?: string | undefined;
  onOpen: (session: string) => void;
  onClose: () => void;
}) {
  const profiles = useChatProfiles();
  const start = useStartChat();
  const [chosen, choose] = useState<string | null>(wished ?? null);
  const alias = chosen ?? (profiles.data?.length === 1 ? (profiles.data[0]?.alias ?? null) : null);
  const [directory, setDirectory] = useState('');
  const [resume, setResume] = useState('');
  const fields = start.error instanceof ApiError ? start.error.fields : {};

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!alias) return;
    try {
      const made = await start.mutateAsync({
        profile_alias: alias,
        ...(directory.trim() ? { working_dir: directory.trim() } : {}),
        ...(resume.trim() ? { resume: resume.trim() } : {}),
      });
      onOpen(made.id);
    } catch {
      // Shown below.
    }
  };

  return (
    <Modal opened onClose={onClose} title={t('New chat')} size="md">
      {profiles.data?.length === 0 ? (
        <EmptyState
          title={t('No profiles yet')}
          action={
            <Button component={Link} to={`${areaPath('profiles')}?new`}>
              {t('New profile')}
            </Button>
          }
        >
          {t('You chat with the agent of a profile. The profile names the agent, its provider, its model and its key.')}
        </EmptyState>
      ) : (
        <form onSubmit={(event) => void submit(event)}>
          <Stack>
            <ProfileSelect profiles={profiles.data} value={alias} onChange={choose} error={fields.profile_alias} />
            <DirectoryInput
              label={t('Directory')}
              placeholder={t('The profile’s')}
              value={directory}
              onChange={setDirectory}
              error={fields.working_dir}
            />
            <TextInput
              label={t('Go on with')}
              description={t('The name that the agent gave an earlier session.')}
              classNames={{ input: 'jf-mono' }}
              value={resume}
              onChange={(event) => setResume(event.currentTarget.value)}
              error={fields.resume}
              autoComplete="off"
            />
            {start.error && (
              <Alert color="red" icon={<IconAlertTriangle />} title={t('It was not started')} role="alert">
                {messageOf(start.error)}
              </Alert>
            )}
            <Group justify="flex-end" gap="sm">
              <Button variant="default" onClick={onClose}>
                {t('Cancel')}
              </Button>
              <Button type="submit" loading={start.isPending} disabled={!alias}>
                {t('Start')}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}
