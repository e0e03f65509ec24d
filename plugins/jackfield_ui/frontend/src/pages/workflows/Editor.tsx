import { Skeleton, Stack } from '@mantine/core';
import { ReactFlowProvider } from '@xyflow/react';
import { useMemo } from 'react';
import { useParams } from 'react-router';
import { Failure } from '../../components/Failure';
import { Page } from '../../components/Page';
import { laidOut, needsLayout } from './model/layout';
import { EditorContext, EditorStore } from './model/store';
import { type Saved, useKinds, useWorkflow } from './queries';
import { Workbench } from './Workbench';

/** One workflow: read once, then edited here until it is saved. */
export default function Editor() {
  const { id = '' } = useParams();
  const workflow = useWorkflow(id);
  const kinds = useKinds();
  const error = workflow.error ?? kinds.error;
  if (error && !(workflow.data && kinds.data)) {
    return (
      <Stack p="lg">
        <Page title="Workflow" crumbs={[{ label: 'Workflows', to: '/ui/workflows' }]}>
          <Failure error={error} onRetry={() => void (workflow.error ? workflow : kinds).refetch()} />
        </Page>
      </Stack>
    );
  }
  if (!workflow.data || !kinds.data || workflow.data.id !== id) {
    return (
      <Stack p="md" aria-busy="true">
        <h1 className="jf-hidden">Workflow</h1>
        <Skeleton height={32} />
        <Skeleton height="70dvh" />
      </Stack>
    );
  }
  return (
    <ReactFlowProvider key={id}>
      <Opened saved={workflow.data} />
    </ReactFlowProvider>
  );
}

function Opened({ saved }: { saved: Saved }) {
  // Reading it again, because somebody else has saved, must not take away what is written here.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first reading alone
  const store = useMemo(() => {
    const doc = needsLayout(saved.doc) ? laidOut(saved.doc) : saved.doc;
    return new EditorStore({ ...saved, doc });
  }, [saved.id]);
  return (
    <EditorContext value={store}>
      <Workbench newest={saved} />
    </EditorContext>
  );
}
