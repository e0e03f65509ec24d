import { useState } from 'react';
import { laidOut } from './model/layout';
import { Opened } from './Opened';
import type { NodeType, Saved } from './queries';

/** A document that has no places gets them. */
export default function Placed({ saved, kinds }: { saved: Saved; kinds: ReadonlyMap<string, NodeType> }) {
  const [first] = useState(() => ({ ...saved, doc: laidOut(saved.doc, kinds) }));
  return <Opened first={first} newest={saved} />;
}
