import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { address, api, data } from '../../api/client';
import type { paths } from '../../api/schema';
import type { Schemas } from '../../api/types';
import { useInvalidate } from '../../api/useEvents';
import { notifyError } from '../../components/notify';
import { t } from '../../language/messages';
import { daysOf, type Filter, type Part, REPORTS, type Row, type Step } from './model';

export type Block = Schemas['Block'];
type Query = NonNullable<paths['/api/usage/report']['get']['parameters']['query']>;

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

function isBlock(row: Row | Block): row is Block {
  return 'gap' in row;
}

function useReport(name: string, query: Query, enabled = true) {
  return useQuery({
    queryKey: ['usage', name, query],
    enabled,
    queryFn: async ({ signal }) => {
      const { rows, ...rest } = await data(api.GET('/api/usage/report', { params: { query }, signal }));
      const [blocks, lines]: [Block[], Row[]] = [[], []];
      for (const row of rows) isBlock(row) ? blocks.push(row) : lines.push(row);
      return { ...rest, rows: lines, blocks };
    },
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
  const query: Query = { kind: 'blocks', breakdown: 'none', order: 'desc', limit, token_limit: 'max' };
  return useReport('blocks', { ...reportQuery(filter), ...query });
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
    onError: (error) => notifyError(error, t('The import did not work')),
  });
}

export function useUsageEvents(): void {
  useInvalidate('usage', [['usage']], undefined, 2_000);
}

export function exportAddress(filter: Filter, format: 'csv' | 'json'): string {
  return address('/api/usage/export', { ...filter, tz, format });
}
