import { ActionIcon, Tooltip } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, body } from '../../api/client';
import type { Schemas } from '../../api/types';
import { confirm } from '../../components/confirm';
import type { Column } from '../../components/DataTable';
import { notifyError } from '../../components/notify';
import { RelativeTime } from '../../components/values';
import { IconPlugConnected, IconTrash } from '../../icons/drawn';
import { t } from '../../language/messages';
import { ListSection } from './ListSection';

type Grant = Schemas['GrantShown'];

const KEY = ['mcp-grants'];

/** MCP clients that somebody has let in with OAuth. A client asks by itself, so that there is nothing to add. */
export function McpClients() {
  const list = useQuery({ queryKey: KEY, queryFn: ({ signal }) => body(api.GET('/api/v1/mcp/grants', { signal })) });
  return (
    <ListSection
      title={t('MCP clients')}
      about={t('Programs that you have let in with a login in the browser. An administrator sees those of all users.')}
      icon={IconPlugConnected}
      none={t('No MCP clients')}
      hint={t(
        'A client that connects without a key sends you to a consent page. After you agree, this list shows the client.',
      )}
      columns={COLUMNS}
      rows={list.data?.data}
      rowKey={({ id }) => id}
      error={list.error}
      onRetry={() => void list.refetch()}
      rowActions={(grant) => <Revoke grant={grant} />}
    />
  );
}

const COLUMNS: Column<Grant>[] = [
  { key: 'client', title: t('Client'), primary: true, sort: ({ client }) => client, render: ({ client }) => client },
  { key: 'scopes', title: t('May'), render: ({ scopes }) => <span className="jf-mono">{scopes.join(' ')}</span> },
  { key: 'made', title: t('Granted'), render: ({ createdAt }) => <RelativeTime time={createdAt} /> },
  { key: 'used', title: t('Last used'), render: ({ usedAt }) => <RelativeTime time={usedAt} /> },
  { key: 'ends', title: t('Ends if unused'), render: ({ expiresAt }) => <RelativeTime time={expiresAt} /> },
];

function Revoke({ grant: { id, client: name } }: { grant: Grant }) {
  const client = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: () => api.DELETE('/api/v1/mcp/grants/{grant_id}', { params: { path: { grant_id: id } } }),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY }),
    onError: (error) => notifyError(error, t('“{name}” cannot be revoked', { name })),
  });
  const ask = async () => {
    const body = t('Its tokens stop working. It has to ask you again.');
    if (await confirm({ title: t('Revoke the client “{name}”?', { name }), body, action: t('Revoke') })) mutate();
  };
  return (
    <Tooltip label={t('Revoke')}>
      <ActionIcon aria-label={t('Revoke {name}', { name })} onClick={() => void ask()}>
        <IconTrash size={16} />
      </ActionIcon>
    </Tooltip>
  );
}
