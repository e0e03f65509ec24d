import { useEffect, useRef } from 'react';
import { useSearchParams } from 'react-router';
import { notifyDone, notifyError } from '../../../components/notify';
import { t } from '../../../language/messages';
import * as commands from '../canvas/commands';
import { lastRunOf } from '../model/data';
import { wiresOf } from '../model/document';
import { type EditorStore, useStore } from '../model/store';
import type { Execution } from '../queries';
import type { Live } from './useLive';

/** `?execution=ID`: the editor opens with that execution on the canvas, and with what began it pinned. */
export function useExecutionData(live: Live, editable: boolean): void {
  const store = useStore();
  const [params, setParams] = useSearchParams();
  const wanted = params.get('execution');
  const begun = useRef<string>(undefined);
  const { show } = live;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each execution that the address names
  useEffect(() => {
    if (!wanted || begun.current === wanted) return;
    begun.current = wanted;
    setParams({}, { replace: true });
    show(wanted)
      .then((execution) => (editable ? pinStarts(store, execution) : []))
      .then(
        (names) =>
          names.length &&
          notifyDone(t('Pinned the data of {names}. Runs by hand use it.', { names: names.join(', ') })),
      )
      .catch((error: unknown) => notifyError(error, t('The execution cannot be opened')));
  }, [wanted]);
}

/** Names of the nodes that began it, which are pinned now. */
async function pinStarts(store: EditorStore, execution: Execution): Promise<string[]> {
  const fed = new Set(wiresOf(store.doc.connections).flatMap(({ target, type }) => (type === 'main' ? [target] : [])));
  const starts = store.doc.nodes.map(({ name }) => name).filter((name) => !fed.has(name) && gaveItems(execution, name));
  const unpinned = { ...store.doc, pinData: {} };
  const found = await Promise.all(
    starts.map(async (name) => [name, await commands.lastOutput(unpinned, name, execution)] as const),
  );
  commands.setPins(store, new Map(found));
  return starts;
}

/** Of its last run, at the first output: what a pin has. */
function gaveItems(execution: Execution, name: string): boolean {
  return Boolean(lastRunOf(execution, name)?.outputs[0]?.length);
}
