import { useEffect } from 'react';
import { t } from '../language/messages';

/** The document's title: the page first, because tabs are narrow. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === t('Dashboard') ? 'Jackfield' : `${title} · Jackfield`;
  }, [title]);
}
