import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, body } from '../../../api/client';
import type { Doc } from '../model/document';
import type { Problem, Start } from '../queries';

export interface Problems {
  all: readonly Problem[];
  /** Node name -> what is wrong with it, in one text. */
  byNode: ReadonlyMap<string, string>;
  /** Node name -> path below `parameters` -> message. */
  fields: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** What starts the workflow, in words. */
  starts: readonly Start[];
}

const NONE: Problems = { all: [], byNode: new Map(), fields: new Map(), starts: [] };

/** What the daemon finds wrong with the document as it is now, saved or not. */
export function useProblems(id: string, doc: Doc): Problems {
  const [settled] = useDebouncedValue(doc, 600);
  const { data } = useQuery({
    queryKey: ['workflow-problems', id, settled],
    queryFn: async ({ signal }) => {
      const found = await body(api.POST('/api/v1/workflows/validate', { body: { ...settled, id }, signal }));
      return { ...problemsOf(found.problems, settled), starts: found.starts };
    },
    gcTime: 0,
    retry: false,
  });
  return useMemo(() => data ?? NONE, [data]);
}

export function problemsOf(all: readonly Problem[], doc: Doc): Omit<Problems, 'starts'> {
  const byNode = new Map<string, string>();
  const fields = new Map<string, Record<string, string>>();
  for (const { path, message, severity } of all) {
    // That nothing starts the workflow is no mistake of a node; the switch of the header says it.
    if (severity === 'activation' && /^nodes\[\d+\]$/.test(path)) continue;
    const [, index, rest = ''] = /^nodes\[(\d+)\]\.?(.*)$/.exec(path) ?? [];
    const name = index === undefined ? undefined : doc.nodes[Number(index)]?.name;
    if (name === undefined) continue;
    const where = rest.replace(/^parameters\.?/, '');
    const line = where && rest.startsWith('parameters') ? `${where}: ${message}` : message;
    byNode.set(name, byNode.has(name) ? `${byNode.get(name)}\n${line}` : line);
    if (rest.startsWith('parameters')) fields.set(name, { ...fields.get(name), [where]: message });
  }
  return { all, byNode, fields };
}
