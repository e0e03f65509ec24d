import { Button, FileButton } from '@mantine/core';
import { lazy, Suspense, useRef, useState } from 'react';
import { IconUpload } from '../../../icons/drawn';
import { t } from '../../../language/messages';
import type { DataTableShown } from '../queries';
import type { CsvImported } from './requests';

const ImportDialog = lazy(() => import('./ImportDialog').then((module) => ({ default: module.ImportDialog })));

interface Props {
  /** Undefined: the rows go into a new table. */
  table?: DataTableShown;
  onDone?: (imported: CsvImported) => void;
}

/** Takes a CSV file, and shows what is in it before its rows are stored. */
export function ImportButton({ table, onDone }: Props) {
  const reset = useRef<() => void>(null);
  const [file, setFile] = useState<File | null>(null);
  const close = () => {
    setFile(null);
    reset.current?.();
  };
  return (
    <>
      <FileButton resetRef={reset} accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values" onChange={setFile}>
        {(props) => (
          <Button {...props} variant="default" leftSection={<IconUpload size={16} aria-hidden="true" />}>
            {t('Import CSV')}
          </Button>
        )}
      </FileButton>
      {file && (
        <Suspense>
          <ImportDialog
            file={file}
            {...(table && { table })}
            onClose={close}
            onDone={(imported) => {
              close();
              onDone?.(imported);
            }}
          />
        </Suspense>
      )}
    </>
  );
}
