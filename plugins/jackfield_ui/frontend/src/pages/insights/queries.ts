import { useQuery } from '@tanstack/react-query';
import { api, body, data } from '../../api/client';
import { firstDay, type ModelCost, type Period } from './model';

export function useInsights(period: Period, everything: boolean) {
  const query = { period, executions: everything ? ('all' as const) : ('production' as const) };
  return useQuery({
    queryKey: ['insights', 'sums', query],
    queryFn: ({ signal }) => body(api.GET('/api/v1/insights', { params: { query }, signal })),
  });
}

export function useSlowNodes(period: Period) {
  return useQuery({
    queryKey: ['insights', 'nodes', period],
    queryFn: ({ signal }) =>
      body(api.GET('/api/v1/insights/nodes', { params: { query: { period, limit: 20 } }, signal })),
  });
}

/** Those that cost most, at most ten; nothing for who may not see usage. */
export function useModelCosts(period: Period) {
  return useQuery({
    queryKey: ['usage', 'insights', period],
    retry: false,
    queryFn: async ({ signal }): Promise<ModelCost[]> => {
      const tz = Intl.DateTimeFormat().resolvedOptions().timeZone;
      const query = { kind: 'models' as const, breakdown: 'none' as const, since: firstDay(period, new Date()), tz };
      const { rows } = await data(api.GET('/api/usage/report', { params: { query }, signal }));
      return rows
        .flatMap((row) => ('gap' in row ? [] : [row]))
        .map((row) => ({ model: String(row.model ?? ''), answers: row.answers, cost: row.cost.total_cost }))
        .sort((a, b) => b.cost - a.cost)
        .slice(0, 10);
    },
  });
}
