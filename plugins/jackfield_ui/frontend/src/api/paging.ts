import { type QueryKey, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';

/** What DataTable needs to turn pages. */
export interface Paging {
  offset: number;
  limit: number;
  total: number;
  onOffset: (offset: number) => void;
}

type Ask<Page, Answer> = (page: Page, signal: AbortSignal) => Promise<Answer>;

/** A list of `/api/v1` with offset and limit. `key` has all that filters it: with another one it begins at the first page. */
export function usePaged<Row>(
  key: QueryKey,
  ask: Ask<{ offset: number; limit: number }, { data: Row[]; total: number }>,
  limit = 50,
) {
  const filter = JSON.stringify(key);
  const [place, setPlace] = useState({ filter, offset: 0 });
  const offset = place.filter === filter ? place.offset : 0;
  const result = useQuery({
    queryKey: [...key, offset, limit],
    queryFn: ({ signal }) => ask({ offset, limit }, signal),
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

/** A list whose pages name the next one; `before`: undefined for the first. */
export function useCursor<Row>(
  key: QueryKey,
  ask: Ask<string | undefined, { rows: Row[]; next: string | null | undefined }>,
) {
  const result = useInfiniteQuery({
    queryKey: key,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => ask(pageParam, signal),
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  const rows = result.data?.pages.flatMap((page) => page.rows);
  const more: More = {
    has: result.hasNextPage,
    loading: result.isFetchingNextPage,
    onMore: () => void result.fetchNextPage(),
  };
  return { ...result, rows, more };
}

/** What a choice says of a query's flag; empty: nothing. */
export function yesOrNo(text: string): boolean | undefined {
  return text === '' ? undefined : text === 'true';
}

/** The one that a choice, or somebody's address, names; undefined: none of them. */
export function oneOf<Word extends string>(words: readonly Word[], text: string): Word | undefined {
  return words.find((word) => word === text);
}
