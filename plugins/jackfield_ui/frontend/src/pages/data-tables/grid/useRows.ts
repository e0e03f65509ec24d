import { useThrottledValue } from '@mantine/hooks';
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { api, body } from '../../../api/client';
import type { View } from '../filters';
import { type DataRow, queryOf, rowsKey } from '../queries';

export const PAGE = 200;
/** Pages that nobody looks at are forgotten after so many milliseconds. */
const KEPT_MS = 60_000;
/** While somebody scrolls, pages are asked for at most this often, in milliseconds. */
const ASK_EVERY_MS = 80;

export type RowPage = { data: DataRow[]; total: number };

/** The rows of a view, of which only the pages in sight are read. first, last: the rows in sight. */
export function useRows(id: string, view: View, first: number, last: number) {
  const asked = useThrottledValue(`${Math.floor(first / PAGE)} ${Math.floor(last / PAGE)}`, ASK_EVERY_MS);
  const [from = 0, to = 0] = asked.split(' ').map(Number);
  const query = queryOf(view);
  const pages = Array.from({ length: to - from + 1 }, (_, place) => from + place);
  const found = useQueries({
    queries: pages.map((page) => ({
      queryKey: [...rowsKey(id), query, page],
      queryFn: ({ signal }: { signal: AbortSignal }) => {
        const params = { path: { table_id: id }, query: { ...query, offset: page * PAGE, limit: PAGE } };
        return body(api.GET('/api/v1/data-tables/{table_id}/rows', { params, signal }));
      },
      gcTime: KEPT_MS,
      placeholderData: undefined,
    })),
  });
  const counted = found.find(({ data }) => data)?.data?.total;
  // The number of rows stays while other pages are read, and so does the place that one has scrolled to.
  const [kept, setKept] = useState(counted);
  if (counted !== undefined && counted !== kept) setKept(counted);
  const rowAt = (index: number): DataRow | undefined => {
    const page = Math.floor(index / PAGE);
    return found[page - from]?.data?.data[index % PAGE];
  };
  const failed = found.find(({ error }) => error);
  return {
    total: counted ?? kept,
    rowAt,
    error: failed?.error,
    again: () => void failed?.refetch(),
    reading: found.some(({ isPending }) => isPending),
  };
}
