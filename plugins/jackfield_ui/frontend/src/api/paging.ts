import { type QueryKey, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Query, request } from './client';

/** A page of `/api/v1`. */
export interface PageOf<Row> {
  data: Row[];
  total: number;
  offset: number;
  limit: number;
}

/** What DataTable needs to turn pages. */
export interface Paging {
  offset: number;
  limit: number;
  total: number;
  onOffset: (offset: number) => void;
}

/** A list of `/api/v1` with offset and limit. A change of `query` goes back to the first page. */
export function usePaged<Row>(key: QueryKey, path: string, query: Query = {}, limit = 50) {
  const filter = JSON.stringify(query);
  const [place, setPlace] = useState({ filter, offset: 0 });
  const offset = place.filter === filter ? place.offset : 0;
  const result = useQuery({
    queryKey: [...key, query, offset, limit],
    queryFn: ({ signal }) => request<PageOf<Row>>('GET', path, { query: { ...query, offset, limit }, signal }),
  });
  const paging: Paging = {
    offset,
    limit,
    total: result.data?.total ?? 0,
    onOffset: (next) => setPlace({ filter, offset: next }),
  };
  return { ...result, rows: result.data?.data, paging };
}

/** What DataTable needs to fetch more of a list with a cursor. */
export interface More {
  has: boolean;
  loading: boolean;
  onMore: () => void;
}

/** A list whose pages name the next one: `{[rows]: [...], next}`, `next` goes into `before`. */
export function useCursor<Row>(key: QueryKey, path: string, rowsName: string, query: Query = {}) {
  const result = useInfiniteQuery({
    queryKey: [...key, query],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      request<Record<string, unknown>>('GET', path, { query: { ...query, before: pageParam }, signal }),
    getNextPageParam: (page) => (typeof page.next === 'string' ? page.next : undefined),
  });
  const rows = result.data?.pages.flatMap((page) => (page[rowsName] ?? []) as Row[]);
  const more: More = {
    has: result.hasNextPage,
    loading: result.isFetchingNextPage,
    onMore: () => void result.fetchNextPage(),
  };
  return { ...result, rows, more };
}
