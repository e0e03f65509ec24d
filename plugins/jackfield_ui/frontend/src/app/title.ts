import { useEffect } from 'react';

/** The document's title: the page first, because tabs are narrow. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === 'Dashboard' ? 'Jackfield' : `${title} · Jackfield`;
  }, [title]);
}
