/** Settings of a workflow that the engine obeys. Pure. */
import { isRecord } from '../../../api/errors';
import type { Doc } from '../model/document';

export interface Settings {
  timezone: string;
  /** Seconds; empty: no limit. */
  timeout: number | '';
  errorWorkflow: string;
  /** Minutes that one successful execution saves; empty: none. */
  saved: number | '';
  order: 'v0' | 'v1';
  saveSuccess: boolean;
  saveFailed: boolean;
  saveManual: boolean;
  callerPolicy: 'any' | 'workflowsFromAList' | 'none';
  /** Ids, separated by commas. */
  callerIds: string;
}

/** `workflowsFromSameOwner` is the same as `any` here, and a document that says so keeps it. */
const POLICIES = ['any', 'workflowsFromAList', 'none'] as const;

export function settingsOf(doc: Doc): Settings {
  const given = isRecord(doc.settings) ? doc.settings : {};
  return {
    timezone: text(given.timezone),
    timeout: positive(given.executionTimeout),
    errorWorkflow: text(given.errorWorkflow),
    saved: positive(given.timeSavedPerExecution),
    order: given.executionOrder === 'v1' ? 'v1' : 'v0',
    saveSuccess: given.saveDataSuccessExecution !== 'none',
    saveFailed: given.saveDataErrorExecution !== 'none',
    saveManual: given.saveManualExecutions !== false,
    callerPolicy: POLICIES.find((policy) => policy === given.callerPolicy) ?? 'any',
    callerIds: text(given.callerIds),
  };
}

function positive(value: unknown): number | '' {
  const number = Number(value);
  return Number.isFinite(number) && number > 0 ? number : '';
}

function text(value: unknown): string {
  return typeof value === 'string' && value !== 'DEFAULT' ? value : '';
}

/** Only what differs from before is written, so that a document keeps what it says in words of its own. */
export function withSettings(doc: Doc, next: Settings): Doc {
  const before = settingsOf(doc);
  const settings: Record<string, unknown> = { ...(isRecord(doc.settings) ? doc.settings : {}) };
  const put = (changed: boolean, name: string, value: unknown) => {
    if (!changed) return;
    if (value === undefined) delete settings[name];
    else settings[name] = value;
  };
  put(next.timezone !== before.timezone, 'timezone', next.timezone || undefined);
  put(next.timeout !== before.timeout, 'executionTimeout', next.timeout === '' ? undefined : next.timeout);
  put(next.errorWorkflow !== before.errorWorkflow, 'errorWorkflow', next.errorWorkflow || undefined);
  put(next.saved !== before.saved, 'timeSavedPerExecution', next.saved === '' ? undefined : next.saved);
  put(next.order !== before.order, 'executionOrder', next.order);
  put(next.saveSuccess !== before.saveSuccess, 'saveDataSuccessExecution', kept(next.saveSuccess));
  put(next.saveFailed !== before.saveFailed, 'saveDataErrorExecution', kept(next.saveFailed));
  put(next.saveManual !== before.saveManual, 'saveManualExecutions', next.saveManual);
  put(next.callerPolicy !== before.callerPolicy, 'callerPolicy', next.callerPolicy);
  put(next.callerIds !== before.callerIds, 'callerIds', next.callerIds || undefined);
  return JSON.stringify(settings) === JSON.stringify(doc.settings ?? {}) ? doc : { ...doc, settings };
}

function kept(saved: boolean): string {
  return saved ? 'all' : 'none';
}

/** Names of the tags of a document, which has them as texts or as objects. */
export function tagsOf(doc: Doc): string[] {
  const given = Array.isArray(doc.tags) ? doc.tags : [];
  return given.map((tag) => (isRecord(tag) ? String(tag.name) : String(tag)));
}
