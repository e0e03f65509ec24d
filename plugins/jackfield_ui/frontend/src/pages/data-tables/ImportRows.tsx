import { Button, FileButton } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { count } from '../../components/format';
import { notifyDone, notifyError } from '../../components/notify';
import { importCsv, KEY } from './queries';

/** Adds the rows of a CSV file whose first line names columns of the table. Where one does not fit, none is added. */
export function ImportRows({ id }: { id: string }) {
  const client = useQueryClient();
  const reset = useRef<() => void>(null);
  const { mutate, isPending } = useMutation({
    mutationFn: (file: File) => importCsv(id, file),
    onSuccess: (rows) => notifyDone(`${count(rows)} ${rows === 1 ? 'row' : 'rows'} imported.`),
    onError: (error) => notifyError(error, 'No row was imported'),
    onSettled: () => {
      reset.current?.();
      return client.invalidateQueries({ queryKey: KEY });
    },
  });
  return (
    <FileButton resetRef={reset} accept=".csv,text/csv" onChange={(file) => file && mutate(file)}>
      {(props) => (
        <Button
          {...props}
          variant="default"
          loading={isPending}
          leftSection={<IconUpload size={16} aria-hidden="true" />}
        >
          Import CSV
        </Button>
      )}
    </FileButton>
  );
}
