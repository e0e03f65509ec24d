import { useQuery } from '@tanstack/react-query';
import { api, body } from '../../api/client';
import { isRecord } from '../../api/errors';
import type { Item, Schemas } from '../../api/types';
import type { NodeForm } from './form/model';
import { type Doc, documentOf } from './model/document';

/** A node type without its parameters. */
export interface NodeType {
  kind: string;
  type: string;
  displayName: string;
  description: string;
  group: string;
  /** The name of its picture; empty: its kind tells. */
  icon: string;
  /** A page of the documentation, perhaps with `#place`, or an https address; empty: there is none. */
  help: string;
  versions: number[];
  trigger: boolean;
  inputs: number;
  outputs: string[];
  provides: string;
  accepts: string[];
  needs: string[];
  /** What it takes and gives with which parameters; the first that holds counts, and without any all of the above. */
  shapes: Ports[];
  available: boolean;
  missing: string;
  credentials: CredentialUse[];
}

export interface Ports {
  /** Paths of parameters, and the values that each of them may have. */
  when: Record<string, unknown[]>;
  inputs: number;
  outputs: string[];
  provides: string;
  accepts: string[];
}

/** A kind of credential that a node takes; see `/node-types`. */
export interface CredentialUse {
  /** Empty: the parameter names it. */
  name: string;
  required: boolean;
  parameter?: string | null;
  /** Parameters and the values with which it counts; '': without a value. */
  when?: Record<string, string[]> | null;
}

export interface NodeTypeWhole extends NodeType {
  forms: NodeForm[];
}

/** `activation`: it may be saved, and cannot be live. */
export type Problem = Schemas['ProblemShown'];
/** What starts a workflow, in words. */
export type Start = Schemas['StartShown'];
export type NodeRun = Schemas['NodeRunShown'];
export type Execution = Schemas['ExecutionShown'];
export type { Item };

/** Why a live workflow cannot start, or a part of it. */
export interface AttentionReason {
  path: string;
  message: string;
}

/** A saved workflow: its document, and what the daemon says of it. */
export interface Saved {
  id: string;
  doc: Doc;
  active: boolean;
  attention: readonly AttentionReason[];
  /** The version on which the next write builds. */
  version: number;
}

const ofWorkflow = (id: string) => ({ params: { path: { workflow_id: id } } });

export const workflowKey = (id: string) => ['workflows', id] as const;

function savedOf(shown: unknown, answer: Response): Saved {
  const given = isRecord(shown) ? shown : {};
  const version = Number(answer.headers.get('etag')?.replaceAll(/[^\d]/g, '') ?? given.version);
  return {
    id: String(given.id),
    doc: documentOf(given),
    active: given.active === true,
    attention: attentionOf(given.attention),
    version,
  };
}

export function attentionOf(given: unknown): AttentionReason[] {
  const rows = Array.isArray(given) ? given.filter(isRecord) : [];
  return rows.map(({ path, message }) => ({ path: String(path), message: String(message) }));
}

export async function readWorkflow(id: string, signal?: AbortSignal): Promise<Saved> {
  const { data, response } = await api.GET('/api/v1/workflows/{workflow_id}', { ...ofWorkflow(id), signal });
  return savedOf(data, response);
}

/** `version`: the one that is replaced; undefined: whatever there is. */
export async function writeWorkflow(id: string, doc: Doc, version: number | undefined): Promise<Saved> {
  const { data, response } = await api.PUT('/api/v1/workflows/{workflow_id}', {
    ...ofWorkflow(id),
    body: doc as Schemas['WorkflowDocument'],
    headers: { 'If-Match': version === undefined ? '*' : String(version) },
  });
  return savedOf(data, response);
}

/** `folder`: id of the one that it is made in. */
export function createWorkflow(doc: Schemas['WorkflowDocument'], folder: string | null = null) {
  return body(api.POST('/api/v1/workflows', { params: { query: { folder } }, body: doc }));
}

/** `documents`: whatever somebody's file has; the daemon says what is wrong with it. */
export function importWorkflows(documents: unknown) {
  const json = JSON.stringify(documents);
  return body(
    api.POST('/api/v1/workflows/import', {
      params: { query: { partial: true } },
      body: [],
      bodySerializer: () => json,
    }),
  );
}

export async function setActive(id: string, active: boolean) {
  const verb = active ? 'activate' : 'deactivate';
  const now = await body(api.POST(`/api/v1/workflows/{workflow_id}/${verb}`, ofWorkflow(id)));
  return { active: now.active, attention: attentionOf(now.attention) };
}

/** The triggers that ask services, and those that services send events to. */
export async function readTriggers(id: string, signal?: AbortSignal) {
  return (await body(api.GET('/api/v1/workflows/{workflow_id}/triggers', { ...ofWorkflow(id), signal }))).data;
}

/** Items that a trigger of the saved workflow would start with. `seconds`: how long an event of its service is waited for. */
export async function fetchTestEvent(id: string, node: string, seconds: number) {
  const asked = { ...ofWorkflow(id), body: { node, seconds } };
  return (await body(api.POST('/api/v1/workflows/{workflow_id}/triggers/test', asked))).items;
}

/** Which part of a workflow runs, and with which input. */
export interface Part {
  start?: string | undefined;
  /** The node at which it ends. */
  until?: string;
  /** The execution whose data count for what has not changed since; only with `until`. */
  reuse?: string | undefined;
  items?: Record<string, unknown>[];
}

export function startWorkflow(id: string, { start, until, reuse, items }: Part = {}) {
  return body(
    api.POST('/api/v1/workflows/{workflow_id}/execute-async', {
      params: { path: { workflow_id: id }, query: { start, until, reuse } },
      ...(items === undefined ? {} : { body: { inputData: items } }),
    }),
  );
}

/** Items of each output that come with an execution; the others are read when somebody looks at them. */
const FIRST_ITEMS = 50;

export function readExecution(id: string, signal?: AbortSignal) {
  const params = { path: { execution_id: id }, query: { items: FIRST_ITEMS } };
  return body(api.GET('/api/v1/executions/{execution_id}', { params, signal }));
}

export function useWorkflow(id: string) {
  return useQuery({
    queryKey: workflowKey(id),
    queryFn: ({ signal }) => readWorkflow(id, signal),
    placeholderData: undefined,
  });
}

export function useNodeTypes() {
  return useQuery({
    queryKey: ['node-types'],
    queryFn: async ({ signal }) => {
      // Also those that cannot run: a workflow may have them.
      const query = { schemas: false, unavailable: true };
      const found = await body(api.GET('/api/v1/node-types', { params: { query }, signal }));
      return new Map(found.data.map((kind) => [kind.kind, kind]));
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useNodeType(kind: string) {
  return useQuery({
    queryKey: ['node-types', kind],
    queryFn: ({ signal }) => body(api.GET('/api/v1/node-types/{kind}', { params: { path: { kind } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: undefined,
    retry: false,
  });
}

export function useLastExecution(id: string) {
  return useQuery({
    queryKey: ['executions', 'last', id],
    queryFn: async ({ signal }) => {
      const query = { workflowId: id, limit: 1 };
      const rows = await body(api.GET('/api/v1/executions', { params: { query }, signal }));
      const [row] = rows.data;
      return row ? readExecution(row.id, signal) : null;
    },
    placeholderData: undefined,
  });
}

export function useVariables() {
  return useQuery({
    queryKey: ['variables', 'keys'],
    queryFn: async ({ signal }) => (await body(api.GET('/api/v1/variables', { signal }))).data.map(({ key }) => key),
    retry: false,
  });
}

export function useVersions(id: string) {
  return useQuery({
    queryKey: [...workflowKey(id), 'versions'],
    queryFn: ({ signal }) =>
      body(
        api.GET('/api/v1/workflows/{workflow_id}/versions', {
          params: { path: { workflow_id: id }, query: { limit: 100 } },
          signal,
        }),
      ),
  });
}

/** `label`: empty takes the name away. */
export function labelVersion(id: string, version: number, label: string) {
  const path = { workflow_id: id, version: String(version) };
  return api.PATCH('/api/v1/workflows/{workflow_id}/versions/{version}', { params: { path }, body: { label } });
}

export async function readVersion(id: string, version: number, signal?: AbortSignal): Promise<Doc> {
  const params = { path: { workflow_id: id, version: String(version) } };
  return documentOf(await body(api.GET('/api/v1/workflows/{workflow_id}/versions/{version}', { params, signal })));
}

/** What somebody takes over from n8n. `encryptionKey`: empty when nothing is encrypted. */
export interface MovingIn {
  files: readonly File[];
  encryptionKey: string;
  activate: boolean;
  dryRun: boolean;
}

/** Answers with the report, whatever became of each document. */
export async function moveIn({ files, encryptionKey, activate, dryRun }: MovingIn): Promise<Schemas['ReportShown']> {
  const form = new FormData();
  for (const file of files) form.append('files', file);
  form.append('encryptionKey', encryptionKey);
  return body(
    api.POST('/api/v1/import', { params: { query: { activate, dryRun } }, body: {}, bodySerializer: () => form }),
  );
}

const TAGS_PAGE = 100;
const MOST_TAGS = 2000;

/** All tags by name, at most `MOST_TAGS`. */
export function useTags() {
  return useQuery({
    queryKey: ['workflows', 'tags'],
    queryFn: async ({ signal }) => {
      const tags: Schemas['TagShown'][] = [];
      let total = 1;
      while (tags.length < Math.min(total, MOST_TAGS)) {
        const query = { offset: tags.length, limit: TAGS_PAGE };
        const page = await body(api.GET('/api/v1/tags', { params: { query }, signal }));
        if (page.data.length === 0) break;
        tags.push(...page.data);
        total = page.total;
      }
      return tags;
    },
  });
}
