import { Skeleton, Stack } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { lazy, type ReactNode, Suspense } from 'react';
import type { Schemas } from '../../api/types';
import { SplitPane } from '../../components/SplitPane';
import { t } from '../../language/messages';
import type { Progress } from '../workflows/live/progress';
import classes from './executions.module.css';

const ExecutedCanvas = lazy(() => import('../workflows/canvas/ExecutedCanvas'));

/** The workflow as it ran, beside what ran when. */
export function Overview({
  document,
  states,
  selected,
  onOpen,
  children,
}: {
  /** undefined: it is not kept, or not read yet. */
  document: Schemas['WorkflowDocument'] | undefined;
  states: Progress;
  selected: string | undefined;
  onOpen: (node: string) => void;
  children: ReactNode;
}) {
  const narrow = useMediaQuery('(max-width: 62em)', false, { getInitialValueInEffect: false });
  if (!document) return children;
  const canvas = (
    <section className={classes.canvas} aria-label={t('Canvas')}>
      <Suspense fallback={<Skeleton height="100%" />}>
        <ExecutedCanvas document={document} states={states} selected={selected} onOpen={onOpen} />
      </Suspense>
    </section>
  );
  if (narrow) {
    return (
      <Stack>
        {canvas}
        {children}
      </Stack>
    );
  }
  return (
    <div className={classes.overview}>
      <SplitPane name="execution-overview" initial={55} label={t('Width of the canvas')}>
        {canvas}
        {children}
      </SplitPane>
    </div>
  );
}
