/** What a template gives for an item, as the daemon evaluates it a moment after somebody has typed. */
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, body } from '../../../../api/client';
import { messageOf } from '../../../../api/errors';
import { useEditor, useStore } from '../../model/store';
import { usePanel } from '../context';
import type { Problem } from './problems';

const PAUSE = 300; // milliseconds

export interface Preview {
  /** undefined: nothing is known yet. */
  value: { given: unknown; truncated: boolean } | undefined;
  /** Of the template that was evaluated last. */
  problem: Problem | undefined;
  /** The template that value and problem belong to. */
  of: string;
  busy: boolean;
  /** Whether there is anything to evaluate. */
  applies: boolean;
}

export function usePreview(template: string): Preview {
  const store = useStore();
  const { node, item, execution, editable } = usePanel();
  const id = useEditor((state) => state.id);
  const [settled] = useDebouncedValue(template, PAUSE);
  const executionId = execution?.id;
  const applies = editable && settled.includes('{{');
  const { data, error, isFetching, isPlaceholderData } = useQuery({
    queryKey: ['expression-preview', id, node, item, executionId, settled],
    queryFn: ({ signal }) =>
      body(
        api.POST('/api/v1/expressions/preview', {
          body: {
            workflowId: id,
            ...(store.dirty ? { workflow: store.doc as unknown as Record<string, unknown> } : {}),
            ...(executionId ? { executionId } : {}),
            node,
            item,
            templates: { value: `=${settled}` },
          },
          signal,
        }),
      ),
    enabled: applies,
    retry: false,
    gcTime: 30_000,
    placeholderData: keepPreviousData,
  });
  const shown = data?.values.value;
  const failed = error ? messageOf(error) : (shown?.error ?? undefined);
  const place =
    typeof shown?.start === 'number' && typeof shown.end === 'number' && !error
      ? { start: shown.start, end: shown.end }
      : undefined;
  return {
    value: shown && failed === undefined ? { given: shown.value, truncated: shown.truncated === true } : undefined,
    problem: applies && failed !== undefined ? { message: failed, place } : undefined,
    of: isPlaceholderData ? '' : settled,
    busy: isFetching,
    applies,
  };
}
