import { Anchor, Group, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { send } from '../../api/client';
import { t } from '../../language/messages';
import { Failure } from '../Failure';
import { bytes } from '../format';
import { JsonView } from '../JsonView';
import { Modal } from '../Modal';
import type { OutputPlace } from '../useMoreItems';
import { bytesOfBase64, fileAddress, isPdf, kindOf, MOST_SHOWN, type NodeType } from './files';
import classes from './items.module.css';
import type { ItemFile } from './model';

/** Characters of a text that are shown. */
const LONG = 500_000;

/** One file of an item. It is shown by the page, from its bytes: nothing in it runs. */
export default function FilePreview({
  file,
  index,
  place,
  onClose,
}: {
  file: ItemFile;
  index: number;
  place: OutputPlace | undefined;
  onClose: () => void;
}) {
  const kind = kindOf(file.type);
  const address = place && fileAddress(place, index, file.key);
  const large = (file.size ?? 0) > MOST_SHOWN;
  const shows = kind !== 'other' && !large && (place !== undefined || file.data !== '');
  return (
    <Modal opened onClose={onClose} title={file.name} size="xl">
      <Group justify="space-between" mb="sm" gap="sm">
        <Text size="sm" c="dimmed">
          {[file.type, file.size === undefined ? '' : bytes(file.size), t('item {index}', { index })]
            .filter(Boolean)
            .join(', ')}
        </Text>
        {address && (
          <Anchor size="sm" href={address} download={file.name}>
            {t('Save')}
          </Anchor>
        )}
      </Group>
      {shows ? (
        <Content file={file} kind={kind} address={address} />
      ) : (
        <Text c="dimmed">
          {large
            ? t('Files up to {mostShown} are shown here; save this one.', { mostShown: bytes(MOST_SHOWN) })
            : kind === 'other'
              ? t('Files of this type are not shown here.')
              : t('The file belongs to another execution, and is not in the pinned data.')}
        </Text>
      )}
    </Modal>
  );
}

function Content({ file, kind, address }: { file: ItemFile; kind: NodeType; address: string | undefined }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['file', address ?? file.data],
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    queryFn: async ({ signal }) => {
      if (!address) return new Blob([bytesOfBase64(file.data)]);
      return (await send(new Request(new URL(address, location.origin), { signal }))).blob();
    },
  });
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={240} />;
  if (kind === 'json' || kind === 'text') return <Written blob={data} kind={kind} name={file.name} />;
  if (kind === 'pdf') return <Paper blob={data} name={file.name} />;
  return <Played blob={data} kind={kind} type={file.type} name={file.name} />;
}

/** Browsers on phones, and those whose viewer is switched off, draw nothing at all; others nothing of what is no PDF. */
function Paper({ blob, name }: { blob: Blob; name: string }) {
  const { data: is } = useQuery({ queryKey: ['file-pdf', blob], gcTime: 0, queryFn: () => isPdf(blob) });
  if (!navigator.pdfViewerEnabled) {
    return <Text c="dimmed">{t('This browser cannot show PDF files here; save the file.')}</Text>;
  }
  if (is === undefined) return <Skeleton height={240} />;
  if (!is)
    return <Text c="dimmed">{t('The file is no PDF, though it says so, and cannot be shown here; save it.')}</Text>;
  return <Played blob={blob} kind="pdf" type="application/pdf" name={name} />;
}

function Written({ blob, kind, name }: { blob: Blob; kind: NodeType; name: string }) {
  const { data: text } = useQuery({ queryKey: ['file-text', blob], gcTime: 0, queryFn: () => blob.text() });
  const value = useMemo(() => (kind === 'json' && text !== undefined ? parsed(text) : undefined), [kind, text]);
  if (text === undefined) return <Skeleton height={240} />;
  if (value) return <JsonView value={value.found} label={name} maxHeight="62dvh" />;
  return (
    <>
      <pre className={classes.text} tabIndex={0} role="group" aria-label={name}>
        {text.slice(0, LONG)}
      </pre>
      {text.length > LONG && (
        <Text size="sm" c="dimmed" mt="xs">
          {t('The file is longer; this is its beginning.')}
        </Text>
      )}
    </>
  );
}

function parsed(text: string): { found: unknown } | undefined {
  try {
    return { found: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function Played({ blob, kind, type, name }: { blob: Blob; kind: NodeType; type: string; name: string }) {
  const typed = (type.split(';')[0] ?? '').trim().toLowerCase();
  const source = useMemo(() => URL.createObjectURL(new Blob([blob], { type: typed })), [blob, typed]);
  useEffect(() => () => URL.revokeObjectURL(source), [source]);
  if (kind === 'image') return <img className={classes.picture} src={source} alt={name} />;
  // Sounds and films of items come without captions.
  // biome-ignore lint/a11y/useMediaCaption: as above
  if (kind === 'audio') return <audio className={classes.sound} src={source} controls aria-label={name} />;
  // biome-ignore lint/a11y/useMediaCaption: as above
  if (kind === 'video') return <video className={classes.picture} src={source} controls aria-label={name} />;
  return <iframe className={classes.paper} src={source} title={name} />;
}
