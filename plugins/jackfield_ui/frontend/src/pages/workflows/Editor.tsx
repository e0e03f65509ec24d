import { Skeleton, Stack } from '@mantine/core';
import { ReactFlowProvider } from '@xyflow/react';
import { lazy, Suspense, useState } from 'react';
import { useParams } from 'react-router';
import { Failure } from '../../components/Failure';
import { Page } from '../../components/Page';
import { t } from '../../language/messages';
import { needsLayout } from './model/document';
import { Opened } from './Opened';
import { type NodeType, type Saved, useNodeTypes, useWorkflow } from './queries';

const Placed = lazy(() => import('./Placed'));

/** One workflow: read once, then edited here until it is saved. */
export default function Editor() {
  const { id = '' } = useParams();
  const workflow = useWorkflow(id);
  const kinds = useNodeTypes();
  const error = workflow.error ?? kinds.error;
  if (error && !(workflow.data && kinds.data)) {
    return (
      <Stack p="lg">
        <Page title={t('Workflow')} crumbs={[{ label: t('Workflows'), to: '/ui/workflows' }]}>
          <Failure error={error} onRetry={() => void (workflow.error ? workflow : kinds).refetch()} />
        </Page>
      </Stack>
    );
  }
  if (!workflow.data || !kinds.data || workflow.data.id !== id) {
    return <Opening />;
  }
  return (
    <ReactFlowProvider key={id}>
      <Placing saved={workflow.data} kinds={kinds.data} />
    </ReactFlowProvider>
  );
}

/** As it was read first: once it is saved, it has places. */
function Placing({ saved, kinds }: { saved: Saved; kinds: ReadonlyMap<string, NodeType> }) {
  const [placed] = useState(() => !needsLayout(saved.doc));
  if (placed) return <Opened first={saved} newest={saved} />;
  return (
    <Suspense fallback={<Opening />}>
      <Placed saved={saved} kinds={kinds} />
    </Suspense>
  );
}

function Opening() {
  return (
    <Stack p="md" aria-busy="true">
      <h1 className="jf-hidden">{t('Workflow')}</h1>
      <Skeleton height={32} />
      <Skeleton height="70dvh" />
    </Stack>
  );
}
