import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, data, type Query, request } from '../../api/client';
import { useInvalidate } from '../../api/useEvents';
import { notifyError } from '../../components/notify';
import { daysOf, type Filter, type Part, REPORTS, type Row, type Step, type Sums } from './model';

export interface Report<Each = Row> {
  rows: Each[];
  totals: Sums;
  left_out: number;
  unpriced: string[];
}

export interface Block extends Partial<Row> {
  start: string;
  end: string;
  gap: boolean;
  active: boolean;
  limit_percent?: number | null;
  burn_rate?: { tokens_per_minute: number; uncached_tokens_per_minute: number; cost_per_hour: number } | null;
  projection?: { total_tokens: number; total_cost: number; remaining_minutes: number } | null;
}

/** Days are those of whoever looks. */
const tz = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function reportQuery({ period, ...names }: Filter): Query {
  return { ...daysOf(period, new Date()), ...names, tz };
}

export function useUsage(filter: Filter) {
  return useQuery({
    queryKey: ['usage', 'sums', filter],
    queryFn: ({ signal }) => data(api.GET('/api/usage', { params: { query: { ...filter, tz } }, signal })),
  });
}

/** Every name that may be filtered by: of all time, or a filter could not be taken back. */
export function useNames() {
  return useUsage({ period: 'all', profile: '', agent: '', provider: '', model: '' });
}

function useReport<Each = Row>(name: string, query: Query, enabled = true) {
  return useQuery({
    queryKey: ['usage', name, query],
    enabled,
    queryFn: ({ signal }) => request<Report<Each>>('GET', '/api/usage/report', { query, signal }),
  });
}

export function useSteps(filter: Filter, step: Step, part: Part, enabled: boolean) {
  return useReport('steps', { ...reportQuery(filter), kind: step, breakdown: part }, enabled);
}

export function useParts(filter: Filter, part: Part) {
  return useReport('parts', { ...reportQuery(filter), kind: REPORTS[part].kind, breakdown: 'none' });
}

export function useSessions(filter: Filter, limit: number) {
  return useReport('sessions', { ...reportQuery(filter), kind: 'session', breakdown: 'none', order: 'desc', limit });
}

export function useBlocks(filter: Filter, limit: number) {
  const query = { ...reportQuery(filter), kind: 'blocks', breakdown: 'none', order: 'desc', limit, token_limit: 'max' };
  return useReport<Block>('blocks', query);
}

/** Counts what is new in agents' logs; a sentence says what was. */
export function useImport() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (query: { agent?: string; agent_dir?: string }) => {
      const answer = await api.POST('/api/usage/import-agent', { params: { query } });
      return { text: answer.data?.data ?? '', warnings: answer.data?.warnings ?? [] };
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['usage'] }),
    onError: (error) => notifyError(error, 'The import did not work'),
  });
}

export function useUsageEvents(): void {
  useInvalidate('usage', [['usage']], undefined, 2_000);
}

export function exportAddress(filter: Filter, format: 'csv' | 'json'): string {
  const given = Object.entries({ ...filter, tz, format }).filter(([, value]) => value !== '');
  return `/api/usage/export?${new URLSearchParams(given)}`;
}
