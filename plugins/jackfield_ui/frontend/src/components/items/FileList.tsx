import { Anchor, Button } from '@mantine/core';
import { t } from '../../language/messages';
import { bytes } from '../format';
import { Highlight } from '../Highlight';
import type { OutputPlace } from '../useMoreItems';
import { fileAddress } from './files';
import type { Numbered } from './Items';
import classes from './items.module.css';
import type { ItemFile } from './model';
import { filesOf } from './values';

const MOST = 500;

/** The files of items, each to be looked at or saved. */
export function FileList({
  items,
  place,
  wanted,
  onFile,
}: {
  items: readonly Numbered[];
  place: OutputPlace | undefined;
  wanted: string;
  onFile: (file: ItemFile, index: number) => void;
}) {
  const files = items.flatMap(({ item, index }) => filesOf(item).map((file) => ({ file, index }))).slice(0, MOST);
  return (
    <ul className={classes.files} aria-label={t('Files')}>
      {files.map(({ file, index }) => (
        <li key={`${index} ${file.key}`}>
          <span className={classes.missing}>{index}</span>
          <span className={classes.fileName} title={file.name}>
            <Highlight text={file.name} wanted={wanted} />
            <span className={classes.missing}>
              {[file.type, file.size === undefined ? '' : bytes(file.size)].filter(Boolean).join(', ')}
            </span>
          </span>
          <Button
            size="compact-xs"
            variant="default"
            aria-label={t('Show the file {name} of item {index}', { name: file.name, index })}
            onClick={() => onFile(file, index)}
          >
            {t('Show')}
          </Button>
          {place && (
            <Anchor size="sm" href={fileAddress(place, index, file.key)} download={file.name}>
              {t('Save')}
            </Anchor>
          )}
        </li>
      ))}
    </ul>
  );
}
