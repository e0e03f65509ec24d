import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { api, body } from '../api/client';
import type { Item } from '../api/types';
import { t } from '../language/messages';
import { notifyError } from './notify';

/** One output of one node run. */
export interface OutputPlace {
  execution: string;
  /** The node run's index. */
  run: number;
  output: number;
}

const STEP = 200;
const MOST = 1_000;

export function readItems({ execution, run, output }: OutputPlace, offset: number, limit: number) {
  const params = { path: { execution_id: execution }, query: { run, output, offset, limit } };
  return body(api.GET('/api/v1/executions/{execution_id}/items', { params }));
}

/** All items of an output. Throws when they have more than so many characters of JSON. */
export async function readEveryItem(place: OutputPlace, most: number): Promise<Item[]> {
  const found: Item[] = [];
  let size = 0;
  for (;;) {
    const page = await readItems(place, found.length, MOST);
    found.push(...page.data);
    size += JSON.stringify(page.data).length;
    if (size > most)
      throw new Error(t('It is too large: more than {megabytes} MB.', { megabytes: Math.round(most / 1_000_000) }));
    if (found.length >= page.total || !page.data.length) return found;
  }
}

export interface MoreItems {
  items: readonly Item[];
  /** How many there are in all. */
  total: number;
  /** Reads the next ones; undefined when all are here. */
  more: (() => void) | undefined;
  reading: boolean;
}

/** The items of an output of which the first are here already. */
export function useMoreItems(place: OutputPlace | undefined, first: readonly Item[], total = first.length): MoreItems {
  const key = place ? `${place.execution} ${place.run} ${place.output}` : '';
  const [read, setRead] = useState<{ key: string; items: readonly Item[] }>({ key, items: [] });
  const items = useMemo(() => (read.key === key ? [...first, ...read.items] : first), [read, key, first]);
  const { mutate, isPending } = useMutation({
    mutationFn: (wanted: OutputPlace) => readItems(wanted, items.length, STEP),
    onSuccess: (page) =>
      setRead((before) => ({ key, items: [...(before.key === key ? before.items : []), ...page.data] })),
    onError: (error) => notifyError(error, t('The items cannot be read')),
  });
  const left = place !== undefined && items.length < total;
  return {
    items,
    total: Math.max(total, items.length),
    more: left ? () => mutate(place) : undefined,
    reading: isPending,
  };
}
