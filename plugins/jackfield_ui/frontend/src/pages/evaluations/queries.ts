import { useQuery } from '@tanstack/react-query';
import { api, body, data, segment } from '../../api/client';
import type { Schemas } from '../../api/types';
import { useInvalidate } from '../../api/useEvents';
import { areaPath } from '../../app/areas';

export type Evaluation = Schemas['EvaluationShown'];
export type EvaluationRun = Schemas['EvaluationRunShown'];
export type EvaluatedRow = Schemas['EvaluatedRowShown'];
export type ComparedRow = Schemas['ComparedRow'];
export type Definition = Schemas['EvaluationChange'];
export type NewDefinition = Schemas['NewEvaluation'];

export const KEY = ['evaluations'] as const;
/** Runs in the chart and the list. */
export const MOST_RUNS = 100;
const TYPES = ['evaluation.started', 'evaluation.progress', 'evaluation.finished', 'evaluation.changed'];

export const evaluationPath = (name: string) => `${areaPath('evaluations')}/${segment(name)}`;
export const runPath = ({ evaluation, id }: { evaluation: string; id: string }) =>
  `${evaluationPath(evaluation)}/runs/${segment(id)}`;
export const comparePath = (name: string, before: string, after: string) =>
  `${evaluationPath(name)}/compare/${segment(before)}/${segment(after)}`;

/** What happens shows as it happens. */
export function useEvaluationEvents(): void {
  useInvalidate('workflows', [KEY], TYPES);
}

const ofName = (name: string) => ({ params: { path: { name } } });
const ofRun = (id: string) => ({ params: { path: { run_id: id } } });

export function useEvaluation(name: string) {
  return useQuery({
    queryKey: [...KEY, 'one', name],
    queryFn: ({ signal }) => body(api.GET('/api/v1/evaluations/{name}', { ...ofName(name), signal })),
  });
}

export function useEvaluationRuns(name: string) {
  return useQuery({
    queryKey: [...KEY, 'runs', name],
    queryFn: ({ signal }) =>
      body(
        api.GET('/api/v1/evaluations/{name}/runs', {
          params: { path: { name }, query: { limit: MOST_RUNS } },
          signal,
        }),
      ),
  });
}

export function useEvaluationRun(id: string) {
  return useQuery({
    queryKey: [...KEY, 'run', id],
    queryFn: ({ signal }) => body(api.GET('/api/v1/evaluation-runs/{run_id}', { ...ofRun(id), signal })),
  });
}

export function useComparison(before: string, after: string) {
  return useQuery({
    queryKey: [...KEY, 'compare', before, after],
    queryFn: ({ signal }) =>
      body(
        api.GET('/api/v1/evaluation-runs/{run_id}/compare/{other_id}', {
          params: { path: { run_id: before, other_id: after } },
          signal,
        }),
      ),
  });
}

export function useProfiles() {
  return useQuery({
    queryKey: ['profiles', 'choices'],
    queryFn: ({ signal }) => data(api.GET('/api/profiles', { signal })),
  });
}

export const createEvaluation = (definition: NewDefinition) =>
  body(api.POST('/api/v1/evaluations', { body: definition }));
export const changeEvaluation = (name: string, definition: Definition) =>
  body(api.PUT('/api/v1/evaluations/{name}', { ...ofName(name), body: definition }));
export const deleteEvaluation = (name: string) => api.DELETE('/api/v1/evaluations/{name}', ofName(name));
export const startEvaluation = (name: string) =>
  body(api.POST('/api/v1/evaluations/{name}/runs', { ...ofName(name), body: { label: '' } }));
export const cancelRun = (id: string) => body(api.POST('/api/v1/evaluation-runs/{run_id}/cancel', ofRun(id)));
