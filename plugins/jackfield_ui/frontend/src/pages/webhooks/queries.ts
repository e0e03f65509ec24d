import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { api, body, segment } from '../../api/client';
import type { Schemas } from '../../api/types';
import { useEvents, useInvalidate } from '../../api/useEvents';
import { areaPath } from '../../app/areas';

export type WebhookRow = Schemas['WebhookItem'];
export type Webhook = Schemas['WebhookDetail'];
export type Call = Schemas['CallEntry'];
export type Verdict = Schemas['TestCallResult'];

export const webhookPath = (id: string) => `${areaPath('webhooks')}/${segment(id)}`;
const ofWebhook = (id: string) => ({ params: { path: { ident: id } } });

/** With how it lets in and answers, which the list does not have. */
export function useWebhook(id: string) {
  return useQuery({
    queryKey: ['webhooks', 'one', id],
    queryFn: ({ signal }) => body(api.GET('/api/v1/webhooks/{ident}', { ...ofWebhook(id), signal })),
    placeholderData: undefined,
  });
}

export interface TestCall {
  method: string;
  headers: Record<string, string>;
  query: Record<string, string | string[]>;
  body?: string;
}

/** Whether such a call would be taken; nothing runs. */
export const check = (id: string, call: TestCall) =>
  body(api.POST('/api/v1/webhooks/{ident}/test', { ...ofWebhook(id), body: call }));

export const replay = (executionId: string) =>
  body(api.POST('/api/v1/executions/{execution_id}/retry', { params: { path: { execution_id: executionId } } }));

const READ_WITHIN = 300;

/** Calls show as they come: what was called is read again, the others are not. */
export function useWebhookEvents(): void {
  const client = useQueryClient();
  const called = useRef(new Set<string>());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const read = () => {
    timer.current = undefined;
    for (const id of called.current) {
      void client.invalidateQueries({ queryKey: ['webhooks', 'one', id] });
      void client.invalidateQueries({ queryKey: ['webhooks', 'calls', id] });
    }
    if (called.current.size) void client.invalidateQueries({ queryKey: ['webhooks', 'list'] });
    called.current.clear();
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  useEvents('webhooks', ({ type, data }) => {
    if (type !== 'webhook.called' || typeof data.webhookId !== 'string') return;
    called.current.add(data.webhookId);
    timer.current ??= setTimeout(read, READ_WITHIN);
  });
  useInvalidate(
    'workflows',
    [['webhooks']],
    ['workflow.saved', 'workflow.activated', 'workflow.deactivated', 'workflow.deleted'],
  );
}
