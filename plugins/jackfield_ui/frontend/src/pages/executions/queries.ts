import { useQuery } from '@tanstack/react-query';
import { api, body, segment } from '../../api/client';
import { ApiError } from '../../api/errors';
import type { Schemas } from '../../api/types';
import { areaPath } from '../../app/areas';
import { t } from '../../language/messages';

export type Execution = Schemas['ExecutionShown'];
export type Stats = Schemas['Counts'];

export const STATUSES = ['success', 'failed', 'running', 'waiting', 'queued', 'cancelled'] as const;
export type Status = (typeof STATUSES)[number];

export const MODES = {
  webhook: t('Webhook'),
  test: t('Test'),
  manual: t('By hand'),
  trigger: t('Trigger'),
  retry: t('Retry'),
  error: t('Error workflow'),
  sub: t('Sub-workflow'),
} as const;

type Mode = keyof typeof MODES;
export const MODE_WORDS: readonly Mode[] = ['webhook', 'test', 'manual', 'trigger', 'retry', 'error', 'sub'];

export const OPEN: ReadonlySet<string> = new Set(['queued', 'running', 'waiting']);

export const executionPath = (id: string) => `${areaPath('executions')}/${segment(id)}`;
export const comparePath = (left: string, right: string) =>
  `${areaPath('executions')}/compare/${segment(left)}/${segment(right)}`;
export const isOpen = ({ status }: { status: string }) => OPEN.has(status);

const MOST_PAGES = 20;

/** Every workflow's name by its id. */
export function useWorkflowNames() {
  return useQuery({
    queryKey: ['workflows', 'names', 'all'],
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const names = new Map<string, string>();
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const query = { limit: 100, offset: page * 100 };
        const found = await body(api.GET('/api/v1/workflows', { params: { query }, signal }));
        for (const { id, name } of found.data) names.set(id, name);
        if (names.size >= found.total || found.data.length === 0) break;
      }
      return names;
    },
  });
}

export function nameOf(names: ReadonlyMap<string, string> | undefined, id: string | null): string {
  if (id === null) return t('Not saved');
  return names ? (names.get(id) ?? t('Deleted workflow')) : '…';
}

export function useStats(query: { workflowId?: string; mode?: Mode; since?: string }) {
  return useQuery({
    queryKey: ['executions', 'stats', query],
    queryFn: ({ signal }) => body(api.GET('/api/v1/executions/stats', { params: { query }, signal })),
  });
}

/** Items of each output that are read with the execution; the others when somebody looks at them. */
const FIRST_ITEMS = 50;

export function useExecution(id: string) {
  return useQuery({
    queryKey: ['executions', id],
    queryFn: ({ signal }) => {
      const params = { path: { execution_id: id }, query: { items: FIRST_ITEMS } };
      return body(api.GET('/api/v1/executions/{execution_id}', { params, signal }));
    },
    placeholderData: undefined,
  });
}

/** The workflow as it ran; null when it is not kept any more. */
export function useExecutedWorkflow(id: string) {
  return useQuery({
    queryKey: ['executed-workflow', id],
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: undefined,
    queryFn: async ({ signal }) => {
      const params = { path: { execution_id: id } };
      try {
        return await body(api.GET('/api/v1/executions/{execution_id}/workflow', { params, signal }));
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
  });
}

export function retry(id: string, from: 'start' | 'failed' | 'node', node?: string) {
  return body(
    api.POST('/api/v1/executions/{execution_id}/retry', {
      params: { path: { execution_id: id }, query: { from: from === 'start' ? undefined : from, node } },
    }),
  );
}

const ofExecution = (id: string) => ({ params: { path: { execution_id: id } } });

export const cancel = (id: string) => body(api.POST('/api/v1/executions/{execution_id}/cancel', ofExecution(id)));
export const remove = (id: string) => api.DELETE('/api/v1/executions/{execution_id}', ofExecution(id));
