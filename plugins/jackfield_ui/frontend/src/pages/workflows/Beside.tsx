import { type ReactNode, Suspense } from 'react';
import { ErrorBoundary } from '../../app/ErrorBoundary';
import classes from './editor.module.css';

interface Props {
  /** Which parts are there: others are another chance. */
  at: string;
  /** Does without them. */
  onClose: () => void;
  children: ReactNode;
}

/** Parts of the editor that are loaded when they are wanted. One that fails takes no unsaved change with it. */
export function Beside({ at, onClose, children }: Props) {
  return (
    <div className={classes.beside}>
      <ErrorBoundary at={at} onClose={onClose}>
        <Suspense fallback={null}>{children}</Suspense>
      </ErrorBoundary>
    </div>
  );
}
