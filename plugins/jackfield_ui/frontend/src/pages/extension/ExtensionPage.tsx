import { Skeleton } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { ended, requested, useExtension, useExtensions } from '../../app/extensions';
import { Failure } from '../../components/Failure';
import { Page } from '../../components/Page';

/** A page that a plugin draws. */
export default function ExtensionPage() {
  const { extension = '', page = '' } = useParams();
  const { data } = useExtensions();
  const known = data?.find((one) => one.name === extension)?.pages.find((one) => one.name === page);
  return (
    <Page title={known?.label ?? page}>
      <Drawn key={`${extension}/${page}`} extension={extension} page={page} />
    </Page>
  );
}

function Drawn({ extension, page }: { extension: string; page: string }) {
  const place = useRef<HTMLDivElement>(null);
  const navigate = useNavigate();
  const { module, error } = useExtension(extension);
  const [failed, setFailed] = useState<unknown>();
  useEffect(() => {
    const element = place.current;
    if (!element || !module) return;
    try {
      const mount = module.pages?.[page];
      if (!mount) throw new Error(`“${extension}” has no page “${page}”.`);
      const end = mount(element, { request: requested, navigate: (to) => void navigate(to) });
      return () => ended(end);
    } catch (reason) {
      setFailed(reason);
      return;
    }
  }, [module, extension, page, navigate]);
  if (error ?? failed) return <Failure error={error ?? failed} />;
  return (
    <>
      {!module && <Skeleton height={200} />}
      <div ref={place} />
    </>
  );
}
