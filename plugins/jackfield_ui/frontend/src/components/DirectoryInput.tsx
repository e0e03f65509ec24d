import { ActionIcon, TextInput, type TextInputProps, Tooltip } from '@mantine/core';
import { useRef, useState } from 'react';
import { useSession } from '../app/session';
import { IconFolderOpen } from '../icons/drawn';
import { t } from '../language/messages';
import { DirectoryPicker } from './DirectoryPicker';

/** A path of a directory on the daemon's machine: typed, or chosen where this is the daemon's own user. */
export function DirectoryInput({
  value,
  onChange,
  readOnly,
  ...props
}: Omit<TextInputProps, 'value' | 'onChange' | 'rightSection'> & {
  value: string;
  onChange: (path: string) => void;
}) {
  const [choosing, setChoosing] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const offered = useSession().info?.kind === 'owner' && !readOnly;
  const close = () => {
    setChoosing(false);
    button.current?.focus();
  };
  return (
    <div>
      <TextInput
        classNames={{ input: 'jf-mono' }}
        autoComplete="off"
        {...props}
        readOnly={readOnly ?? false}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        rightSection={
          offered && (
            <Tooltip label={t('Browse')}>
              <ActionIcon
                ref={button}
                aria-label={t('Browse')}
                aria-expanded={choosing}
                onClick={() => setChoosing(!choosing)}
              >
                <IconFolderOpen size={16} />
              </ActionIcon>
            </Tooltip>
          )
        }
      />
      {choosing && (
        <DirectoryPicker
          start={value.trim()}
          onChoose={(path) => {
            onChange(path);
            close();
          }}
          onClose={close}
        />
      )}
    </div>
  );
}
