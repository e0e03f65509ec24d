import { Skeleton } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { failedTitle, useHost } from '../../app/extensionHost';
import { ended, useExtension } from '../../app/extensions';
import { Failure } from '../../components/Failure';
import { t } from '../../language/messages';
import classes from './extension.module.css';

/** A page of an extension, or the error that it has failed with. */
export function Drawn({ extension, page }: { extension: string; page: string }) {
  const place = useRef<HTMLDivElement>(null);
  const host = useHost(extension);
  const { module, error } = useExtension(extension);
  const [failed, setFailed] = useState<unknown>();
  useEffect(() => {
    const element = place.current;
    if (!element || !module) return;
    let gone = false;
    const fail = (reason: unknown) => {
      if (!gone) setFailed(reason ?? new Error(t('Unknown')));
    };
    let end: unknown;
    try {
      const mount = module.pages?.[page];
      if (!mount) throw new Error(t('“{extension}” has no page “{page}”.', { extension, page }));
      end = mount(element, host);
      Promise.resolve(end).then((later) => {
        if (gone && end instanceof Promise) ended(later);
        end = later;
      }, fail);
    } catch (reason) {
      fail(reason);
    }
    return () => {
      gone = true;
      ended(end);
      element.replaceChildren();
    };
  }, [module, extension, page, host]);
  if (error ?? failed) return <Failure title={failedTitle(extension)} error={error ?? failed} />;
  return (
    <>
      {!module && <Skeleton height={200} />}
      <div ref={place} className={classes.drawn ?? ''} />
    </>
  );
}
