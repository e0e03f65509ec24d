import { useQuery } from '@tanstack/react-query';
import { api, body, data } from '../../../api/client';
import { ApiError } from '../../../api/errors';
import { useInvalidate } from '../../../api/useEvents';
import type { Doc } from '../model/document';

const DRAFTS = '/api/v1/drafts';
const DRAFT = '/api/v1/drafts/{draft_id}';
const FIRST = 50;
const ofDraft = (id: string) => ({ params: { path: { draft_id: id } } });

export type Draft = Awaited<ReturnType<typeof readDraft>>;
export type DraftRow = Awaited<ReturnType<typeof listDrafts>>['data'][number];
export type Action = 'build' | 'explain' | 'fix' | 'cost' | 'ask';

function listDrafts(workflowId: string, signal?: AbortSignal) {
  return body(api.GET(DRAFTS, { params: { query: { workflowId, limit: FIRST } }, signal }));
}

export function readDraft(id: string, signal?: AbortSignal) {
  return body(api.GET(DRAFT, { ...ofDraft(id), signal }));
}

/** Those that wait at a workflow, the latest first. undefined: they are not read yet, or there is no copilot. */
export function useDrafts(workflowId: string, isWanted: boolean) {
  useInvalidate('drafts', [['drafts', 'of', workflowId]], ['draft.saved', 'draft.deleted']);
  return useQuery({
    queryKey: ['drafts', 'of', workflowId],
    queryFn: ({ signal }) => listDrafts(workflowId, signal),
    enabled: isWanted,
    retry: false,
  });
}

export const draftKey = (id: string) => ['drafts', 'one', id] as const;

export function useDraft(id: string) {
  useInvalidate('drafts', [draftKey(id)], undefined, 100);
  return useQuery({
    queryKey: draftKey(id),
    queryFn: ({ signal }) => readDraft(id, signal),
    placeholderData: undefined,
    retry: (tries, error) => tries < 2 && !(error instanceof ApiError && error.status === 404),
  });
}

/** A draft that begins with what is on the canvas, saved or not. */
export function createDraft(workflowId: string, document: Doc) {
  return body(api.POST(DRAFTS, { body: { workflowId, document } }));
}

export const discardDraft = (id: string) => api.DELETE(DRAFT, ofDraft(id));

/** The workflow's values go back into the draft. */
export function rejectChanges(id: string, revision: number, changes: string[]) {
  return body(api.POST('/api/v1/drafts/{draft_id}/reject', { ...ofDraft(id), body: { revision, changes } }));
}

export function decideRun(draft: string, run: string, allow: boolean) {
  const path = { draft_id: draft, run_id: run };
  return body(api.POST('/api/v1/drafts/{draft_id}/runs/{run_id}', { params: { path }, body: { allow } }));
}

export interface Task {
  action: Action;
  text: string;
  /** The execution that is meant. */
  execution: string | undefined;
}

/** Starts a profile's agent on a draft; without one on a draft of the workflow as it is saved. */
export function startSession(profile: string, workflow: string, draft: string | undefined, task: Task) {
  return data(
    api.POST('/api/copilot/sessions', {
      body: {
        profile_alias: profile,
        action: task.action,
        text: task.text,
        workflow_id: workflow,
        execution_id: task.execution ?? null,
        draft_id: draft ?? null,
      },
    }),
  );
}

export function tell(session: string, { action, text, execution }: Task) {
  return api.POST('/api/copilot/sessions/{session_id}/messages', {
    params: { path: { session_id: session } },
    body: { action, text, execution_id: execution ?? null },
  });
}
