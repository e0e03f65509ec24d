import { useThrottledValue } from '@mantine/hooks';
import { type QueryClient, useQueries, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, body } from '../../../api/client';
import type { View } from '../filters';
import { type DataRow, queryOf, rowsKey } from '../queries';

export const PAGE = 200;
/** Pages out of sight that are kept. Of more, those that are the furthest away are forgotten. */
export const MOST_PAGES = 50;
/** They are forgotten, too, after so many milliseconds. */
const KEPT_MS = 60_000;
/** While somebody scrolls, pages are asked for at most this often, in milliseconds. */
const ASK_EVERY_MS = 50;

export interface RowPage {
  data: DataRow[];
  /** Null on a page that was asked for by `after`. */
  total: number | null;
  /** Where the next page begins; null: the daemon does not say. */
  after: string | null;
}

/** The pages in sight, from 0, and which way one scrolls: 1 is down, -1 is up. */
export interface Sight {
  first: number;
  last: number;
  way: number;
}

export const AT_FIRST: Sight = { first: 0, last: 0, way: 1 };

/**
 * The rows of a view. The pages in sight are read, then those around them; a page that is passed over before it has come
 * is given up.
 */
export function useRows(id: string, view: View, seen: Sight) {
  const client = useQueryClient();
  const asked = useThrottledValue(seen, ASK_EVERY_MS);
  const { first: from, last: to } = asked;
  const query = queryOf(view);
  const keyOf = (page: number) => [...rowsKey(id), query, page];
  const [kept, setKept] = useState<number>();
  const sight = span(from, to);
  // In an order of its own, a page costs much less once the one before is there.
  const soon = !view.sorting || sight.every((page) => client.getQueryData(keyOf(page)) !== undefined);
  const pages = soon ? [...sight, ...around(asked, kept)] : sight;
  const found = useQueries({
    queries: pages.map((page) => ({
      queryKey: keyOf(page),
      queryFn: ({ signal }: { signal: AbortSignal }): Promise<RowPage> => {
        const place = placeOf(page, freshPage(client, keyOf(page - 1)));
        const params = { path: { table_id: id }, query: { ...query, ...place, limit: PAGE } };
        return body(api.GET('/api/v1/data-tables/{table_id}/rows', { params, signal }));
      },
      gcTime: KEPT_MS,
      placeholderData: undefined,
    })),
  });
  useEffect(() => forget(client, id, from), [client, id, from]);
  const counted = found.map(({ data }) => data?.total).find((total) => typeof total === 'number');
  // The number of rows stays while other pages are read, and so does the place that one has scrolled to.
  if (typeof counted === 'number' && counted !== kept) setKept(counted);
  const rowAt = (index: number): DataRow | undefined =>
    found[pages.indexOf(Math.floor(index / PAGE))]?.data?.data[index % PAGE];
  const shown = found.slice(0, sight.length);
  const failed = shown.find(({ error }) => error);
  return {
    total: counted ?? kept,
    rowAt,
    error: failed?.error,
    again: () => void failed?.refetch(),
    reading: shown.some(({ isPending }) => isPending),
  };
}

const span = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, place) => from + place);

/** The pages beside those in sight, of which two lie ahead. total: rows of the view, where they are counted. */
export function around({ first, last, way }: Sight, total: number | undefined): number[] {
  const end = total === undefined ? last : Math.floor((total - 1) / PAGE);
  const found = way < 0 ? [first - 1, first - 2, last + 1] : [last + 1, last + 2, first - 1];
  return found.filter((page) => page >= 0 && page <= end);
}

/** How to ask for a page: behind the one before, which costs the same wherever it is; without that, by its place. */
export function placeOf(page: number, before: RowPage | undefined): { after: string } | { offset: number } {
  return before?.after && before.data.length === PAGE ? { after: before.after } : { offset: page * PAGE };
}

/** A page that nothing has made old: behind another one, rows would be missing or there twice. */
function freshPage(client: QueryClient, key: readonly unknown[]): RowPage | undefined {
  const state = client.getQueryState<RowPage>(key);
  return state && !state.isInvalidated && state.fetchStatus === 'idle' ? state.data : undefined;
}

function forget(client: QueryClient, id: string, page: number): void {
  const idle = client.getQueryCache().findAll({ queryKey: rowsKey(id), type: 'inactive' });
  const away = ({ queryKey }: { queryKey: readonly unknown[] }) => Math.abs(Number(queryKey.at(-1)) - page);
  idle.sort((one, other) => away(one) - away(other));
  for (const query of idle.slice(MOST_PAGES)) client.getQueryCache().remove(query);
}
