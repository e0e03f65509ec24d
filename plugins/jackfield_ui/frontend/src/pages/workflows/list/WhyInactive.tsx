import { ActionIcon, Loader, Popover, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, body } from '../../../api/client';
import { Failure } from '../../../components/Failure';
import { IconInfoCircle } from '../../../icons/drawn';
import { t } from '../../../language/messages';
import { Reasons } from '../AttentionMark';

/** Beside a workflow that is not active: what keeps it from it, asked for when somebody wants to know. */
export function WhyInactive({ id, name }: { id: string; name: string }) {
  const [open, setOpen] = useState(false);
  return (
    <Popover width={360} shadow="md" withArrow opened={open} onChange={setOpen}>
      <Popover.Target>
        <ActionIcon
          size="sm"
          aria-label={t('Why “{name}” is not active', { name })}
          onClick={(event) => {
            event.stopPropagation();
            setOpen(!open);
          }}
        >
          <IconInfoCircle size={16} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown onClick={(event) => event.stopPropagation()}>{open && <Why id={id} />}</Popover.Dropdown>
    </Popover>
  );
}

function Why({ id }: { id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['workflows', id, 'activation'],
    queryFn: ({ signal }) => {
      const path = { workflow_id: id };
      return body(api.GET('/api/v1/workflows/{workflow_id}/activation', { params: { path }, signal }));
    },
    staleTime: 0,
  });
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loader size="sm" role="status" aria-label={t('Loading')} />;
  if (data.activatable) return <Text size="sm">{t('It can be active. Nobody has activated it.')}</Text>;
  return (
    <>
      <Text fw={600} mb={4}>
        {t('It cannot be active yet')}
      </Text>
      <Reasons reasons={data.reasons} />
    </>
  );
}
