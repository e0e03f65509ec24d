import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { WorkflowRow } from '../../../api/types';
import type { BulkReport } from '../../../components/eachOf';
import { NotDone } from '../../../components/NotDone';
import { notifyDone } from '../../../components/notify';
import { ChosenThings } from '../../../components/projects/ChosenThings';
import { IconTags } from '../../../icons/drawn';
import { t } from '../../../language/messages';
import { address } from './columns';
import { useReread } from './useReread';

const TagMany = lazy(() => import('./TagMany'));

export const workflows = (many: number) => t('{many, plural, one {1 workflow} other {# workflows}}', { many });

/** Acts on the selected workflows. Those with which it failed stay selected. */
export function Chosen({
  selected,
  rows,
  placing,
  onChange,
}: {
  selected: ReadonlySet<string>;
  /** Those of this page: what the report calls them by. */
  rows: readonly WorkflowRow[];
  /** Whether they may be moved and shared. */
  placing: boolean;
  onChange: (selected: Set<string>) => void;
}) {
  const reread = useReread();
  const [tagging, setTagging] = useState(false);
  const [report, setReport] = useState<BulkReport<string>>();
  const onDone = (found: BulkReport<string>) => {
    setTagging(false);
    reread();
    if (found.failed.length) setReport(found);
    else notifyDone(t('Tags changed: {workflows}.', { workflows: workflows(found.done) }));
    onChange(new Set(found.failed.map(({ key }) => key)));
  };
  return (
    <>
      <ChosenThings
        kind="workflow"
        things={[...selected].map((id) => ({ id, name: nameIn(rows, id) }))}
        to={(id) => address({ id })}
        placing={placing}
        onChange={onChange}
      >
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconTags size={14} aria-hidden="true" />}
          onClick={() => setTagging(true)}
        >
          {t('Tags')}
        </Button>
      </ChosenThings>
      <Suspense>
        {tagging && <TagMany ids={[...selected]} onDone={onDone} onClose={() => setTagging(false)} />}
      </Suspense>
      {report && (
        <NotDone
          title={t('Tags not changed: {workflows}', { workflows: workflows(report.failed.length) })}
          done={
            report.done ? t('Tags changed: {workflows}.', { workflows: workflows(report.done) }) : t('None of them.')
          }
          failed={report.failed.map(({ key, reason }) => ({
            key,
            reason,
            name: nameIn(rows, key),
            to: address({ id: key }),
          }))}
          onClose={() => setReport(undefined)}
        />
      )}
    </>
  );
}

function nameIn(rows: readonly WorkflowRow[], id: string): string {
  return rows.find((row) => row.id === id)?.name ?? id;
}
