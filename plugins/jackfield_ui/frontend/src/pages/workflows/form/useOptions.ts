/** The entries of a list that is asked for when somebody opens the field. */

import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, body } from '../../../api/client';
import { messageOf } from '../../../api/errors';
import { t } from '../../../language/messages';
import type { FieldChoice, LoadedList, Values } from './model';
import { isExpression } from './values';

/** Whose lists, and with which credential. */
export interface ListPlace {
  /** Of the node. */
  kind: string;
  /** Id of the chosen one. */
  credential: string | undefined;
  /** Whether the node takes one with its present parameters. */
  needsCredential: boolean;
}

export interface Option extends FieldChoice {
  /** Where people look at it. */
  url?: string | null;
  /** Of a column, as n8n's mapper names types. */
  type?: string | null;
}

export interface OptionPage {
  options: readonly Option[];
  cursor?: string | null;
}

/** Where options come from. */
export interface OptionSource {
  key: readonly unknown[];
  /** Whether the source searches; otherwise the browser does. */
  searchable: boolean;
  /** Why it cannot be asked now; empty: it can. */
  blocked: string;
  page: (search: string, cursor: string, signal: AbortSignal) => Promise<OptionPage>;
}

export type OptionState = 'closed' | 'blocked' | 'loading' | 'failed' | 'empty' | 'ready';

export interface Options {
  state: OptionState;
  options: readonly Option[];
  /** Why there are none, as it is shown. */
  message: string;
  open: () => void;
  search: (text: string) => void;
  retry: () => void;
  /** Reads the next ones; undefined: there are no more. */
  more: (() => void) | undefined;
}

const SETTLED = 300;

export function useOptions(source: OptionSource): Options {
  const [opened, setOpened] = useState(false);
  const [typed, setTyped] = useState('');
  const [settled] = useDebouncedValue(typed, SETTLED);
  const asked = source.searchable ? settled : '';
  const query = useInfiniteQuery({
    queryKey: [...source.key, asked],
    queryFn: ({ signal, pageParam }) => source.page(asked, pageParam, signal),
    initialPageParam: '',
    getNextPageParam: ({ cursor }) => cursor || undefined,
    enabled: opened && !source.blocked,
    retry: false,
    staleTime: 60_000,
    placeholderData: (before) => (source.searchable && opened ? before : undefined),
  });
  const options = query.data?.pages.flatMap((page) => page.options) ?? [];
  const state: OptionState = source.blocked
    ? 'blocked'
    : query.error
      ? 'failed'
      : query.data
        ? options.length
          ? 'ready'
          : 'empty'
        : opened
          ? 'loading'
          : 'closed';
  const messages: Partial<Record<OptionState, string>> = {
    blocked: source.blocked,
    loading: t('Loading…'),
    failed: query.error ? messageOf(query.error) : '',
    empty: asked ? t('Nothing found.') : t('The list is empty.'),
  };
  return {
    state,
    options: source.blocked ? [] : options,
    message: messages[state] ?? '',
    open: () => setOpened(true),
    search: setTyped,
    retry: () => void query.refetch(),
    more: query.hasNextPage ? () => void query.fetchNextPage() : undefined,
  };
}

/** The form that a list is asked for: its top level's values and labels, and the node's version. */
interface ListForm {
  lists: ListPlace;
  top: Values;
  labels: ReadonlyMap<string, string>;
  version: number;
}

/** A list of the node's type, through its credential. */
export function listSource(
  { name, dependsOn: needs = [], searchable = false }: LoadedList,
  { lists: place, top: values, labels, version }: ListForm,
): OptionSource {
  const needed = Object.fromEntries(needs.map((one) => [one, plain(values[one])]));
  const missing = needs.find((one) => needed[one] === undefined || needed[one] === null || needed[one] === '');
  const unknown = needs.find((one) => isExpression(needed[one]));
  const label = (one: string) => `“${labels.get(one) ?? one}”`;
  const blocked =
    place.needsCredential && !place.credential
      ? t('Choose a credential to see the list, or type an ID.')
      : missing !== undefined
        ? t('Fill in {label} to see the list, or type an ID.', { label: label(missing) })
        : unknown !== undefined
          ? t('{label} is an expression, so the list is not known yet. Type an ID.', { label: label(unknown) })
          : '';
  return {
    key: ['node-lists', place.kind, version, name, place.credential ?? '', needed],
    searchable,
    blocked,
    page: async (search, cursor, signal) => {
      const json = needs.length ? JSON.stringify(needed) : '';
      const query = { credential: place.credential, version, search, cursor, values: json };
      const found = await body(
        api.GET('/api/v1/node-types/{kind}/lists/{name}', {
          params: { path: { kind: place.kind, name }, query },
          signal,
        }),
      );
      return { options: found.data, cursor: found.nextCursor };
    },
  };
}

function plain(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'value' in value ? value.value : value;
}
