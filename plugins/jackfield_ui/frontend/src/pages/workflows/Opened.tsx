import { useState } from 'react';
import { EditorContext, EditorStore } from './model/store';
import type { Saved } from './queries';
import { Workbench } from './Workbench';

/** first: what is edited. Reading it again, because somebody else has saved, takes nothing away that is written here. */
export function Opened({ first, newest }: { first: Saved; newest: Saved }) {
  const [store] = useState(() => new EditorStore(first));
  return (
    <EditorContext value={store}>
      <Workbench newest={newest} />
    </EditorContext>
  );
}
