import { isRecord } from '../../api/errors';
import type { Definition } from './queries';

export type Scorer = Definition['scorers'][number];
export type ScorerKind = Scorer['kind'];

/** What the form holds: texts where people type, so that nothing is lost while it does not fit yet. */
export interface Draft {
  name: string;
  description: string;
  tableId: string;
  kind: 'workflow' | 'profile';
  workflowId: string;
  start: string;
  outputNode: string;
  profile: string;
  prompt: string;
  outputFormat: 'text' | 'json';
  input: string;
  output: string;
  expected: string;
  passScore: number;
  concurrent: number;
  rows: number | '';
  seconds: number | '';
  cost: number | '';
  tokens: number | '';
  scorers: ScorerDraft[];
}

export interface ScorerDraft {
  id: string;
  kind: ScorerKind;
  name: string;
  weight: number;
  expression: string;
  language: 'javaScript' | 'python';
  code: string;
  instructions: string;
  profile: string;
  /** JSON of a chat model; empty: the profile judges. */
  model: string;
  metric: string;
  lowest: number;
  highest: number;
}

let drafts = 0;

export function newScorer(kind: ScorerKind, name: string): ScorerDraft {
  drafts += 1;
  return {
    id: `scorer-${drafts}`,
    kind,
    name,
    weight: 1,
    expression: '={{ $json.output === $json.expected }}',
    language: 'javaScript',
    code: 'const { output, expected } = $input.first().json;\nreturn output === expected;',
    instructions: '',
    profile: '',
    model: '',
    metric: '',
    lowest: kind === 'judge' ? 1 : 0,
    highest: kind === 'judge' ? 5 : 1,
  };
}

export const EMPTY: Omit<Draft, 'scorers'> = {
  name: '',
  description: '',
  tableId: '',
  kind: 'workflow',
  workflowId: '',
  start: '',
  outputNode: '',
  profile: '',
  prompt: '',
  outputFormat: 'text',
  input: '',
  output: '',
  expected: '',
  passScore: 0.5,
  concurrent: 2,
  rows: '',
  seconds: '',
  cost: '',
  tokens: '',
};

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
const numberOf = (value: unknown, otherwise: number) => (typeof value === 'number' ? value : otherwise);
const limitOf = (value: unknown): number | '' => (typeof value === 'number' ? value : '');
const recordOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});

/** The form of a stored definition. */
export function draftOf(definition: Readonly<Record<string, unknown>>): Draft {
  const target = recordOf(definition.target);
  const limits = recordOf(definition.limits);
  const scorers = Array.isArray(definition.scorers) ? definition.scorers : [];
  return {
    ...EMPTY,
    description: textOf(definition.description),
    tableId: textOf(definition.tableId),
    kind: target.kind === 'profile' ? 'profile' : 'workflow',
    workflowId: textOf(target.workflowId),
    start: textOf(target.start),
    outputNode: textOf(target.outputNode),
    profile: textOf(target.profile),
    prompt: textOf(target.prompt),
    outputFormat: target.outputFormat === 'json' ? 'json' : 'text',
    input: textOf(definition.input),
    output: textOf(definition.output),
    expected: textOf(definition.expected),
    passScore: numberOf(definition.passScore, EMPTY.passScore),
    concurrent: numberOf(definition.concurrent, EMPTY.concurrent),
    rows: limitOf(limits.rows),
    seconds: limitOf(limits.seconds),
    cost: limitOf(limits.cost),
    tokens: limitOf(limits.tokens),
    scorers: scorers.map(scorerDraftOf),
  };
}

function scorerDraftOf(value: unknown): ScorerDraft {
  const given = recordOf(value);
  const kind = KINDS.find((each) => each === given.kind) ?? 'expression';
  const empty = newScorer(kind, textOf(given.name));
  return {
    ...empty,
    weight: numberOf(given.weight, 1),
    expression: textOf(given.expression),
    language: given.language === 'python' ? 'python' : 'javaScript',
    code: textOf(given.code),
    instructions: textOf(given.instructions),
    profile: textOf(given.profile),
    model: isRecord(given.model) ? JSON.stringify(given.model, null, 2) : '',
    metric: textOf(given.metric),
    lowest: numberOf(given.lowest, empty.lowest),
    highest: numberOf(given.highest, empty.highest),
  };
}

export const KINDS: readonly ScorerKind[] = ['expression', 'code', 'judge', 'metric'];

/** What the API takes. `before`: the stored definition, whose members without a field stay. Throws what is no JSON. */
export function definitionOf(draft: Draft, before: Readonly<Record<string, unknown>> = {}): Definition {
  const known = recordOf(before.target);
  const target: Definition['target'] =
    draft.kind === 'profile'
      ? {
          kind: 'profile',
          profile: draft.profile,
          prompt: draft.prompt,
          outputFormat: draft.outputFormat,
          timeout: typeof known.timeout === 'number' ? known.timeout : null,
        }
      : {
          kind: 'workflow',
          workflowId: draft.workflowId,
          start: draft.start,
          outputNode: draft.outputNode,
          version: known.workflowId === draft.workflowId && typeof known.version === 'number' ? known.version : null,
        };
  const limit = (value: number | '') => (value === '' ? null : value);
  return {
    description: draft.description,
    tableId: draft.tableId,
    target,
    input: draft.input,
    output: draft.output,
    expected: draft.expected,
    passScore: draft.passScore,
    concurrent: draft.concurrent,
    limits: {
      rows: limit(draft.rows),
      seconds: limit(draft.seconds),
      cost: limit(draft.cost),
      tokens: limit(draft.tokens),
    },
    scorers: draft.scorers.map(scorerOf),
  };
}

function scorerOf(draft: ScorerDraft): Scorer {
  const { name, weight, lowest, highest } = draft;
  switch (draft.kind) {
    case 'expression':
      return { kind: 'expression', name, weight, expression: draft.expression };
    case 'code':
      return { kind: 'code', name, weight, language: draft.language, code: draft.code };
    case 'metric':
      return { kind: 'metric', name, weight, metric: draft.metric, lowest, highest };
    case 'judge': {
      const shared = { kind: 'judge' as const, name, weight, lowest, highest, instructions: draft.instructions };
      return draft.model.trim()
        ? { ...shared, profile: null, model: JSON.parse(draft.model) }
        : { ...shared, profile: draft.profile, model: null };
    }
  }
}
