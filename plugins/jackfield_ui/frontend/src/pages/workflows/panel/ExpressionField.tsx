import { Box, Input, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, body } from '../../../api/client';
import { messageOf } from '../../../api/errors';
import { CodeEditor } from '../../../components/CodeEditor';
import { useEditor, useStore } from '../model/store';
import { expressionCompletion } from './completion';
import { usePanel } from './context';
import classes from './panel.module.css';

/** A template with what it gives for the item that is looked at. `value` begins with "=". */
export function ExpressionField({
  label,
  value,
  onChange,
  cursor,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** The field begins with the focus at this place: somebody types on. */
  cursor?: number | undefined;
}) {
  const panel = usePanel();
  const present = useRef(panel);
  useEffect(() => {
    present.current = panel;
  }, [panel]);
  const [extensions] = useState(() => expressionCompletion(() => present.current));
  return (
    <Box className={classes.expression}>
      <CodeEditor
        label={`${label}, expression`}
        language="javascript"
        value={value.slice(1)}
        onChange={(text) => onChange(`=${text}`)}
        minHeight={34}
        maxHeight={220}
        lineNumbers={false}
        placeholder="{{ $json.field }}"
        extensions={extensions}
        readOnly={!panel.editable}
        cursor={cursor}
      />
      <Result value={value} />
    </Box>
  );
}

function Result({ value }: { value: string }) {
  const store = useStore();
  const { node, item, execution, editable } = usePanel();
  const id = useEditor((state) => state.id);
  const [settled] = useDebouncedValue(value, 300);
  const executionId = execution?.id;
  const { data, error, isFetching } = useQuery({
    queryKey: ['expression-preview', id, node, item, executionId, settled],
    queryFn: ({ signal }) =>
      body(
        api.POST('/api/v1/expressions/preview', {
          body: {
            workflowId: id,
            ...(store.dirty ? { workflow: store.doc } : {}),
            ...(executionId ? { executionId } : {}),
            node,
            item,
            templates: { value: settled },
          },
          signal,
        }),
      ),
    enabled: editable && settled.includes('{{'),
    retry: false,
    gcTime: 30_000,
  });
  if (!editable || !settled.includes('{{')) return null;
  const shown = data?.values.value;
  const problem = error ? messageOf(error) : shown?.error;
  return (
    <div
      className={classes.result}
      data-bad={problem !== undefined || undefined}
      aria-live="polite"
      aria-busy={isFetching}
    >
      {problem !== undefined ? (
        <Input.Error>{problem}</Input.Error>
      ) : (
        <Text size="xs" className="jf-mono" lineClamp={4} style={{ overflowWrap: 'anywhere' }}>
          {shown ? written(shown.value) : ' '}
        </Text>
      )}
    </div>
  );
}

function written(value: unknown): string {
  if (value === undefined || value === null) return 'nothing (null)';
  if (value === '') return 'an empty text';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
