import { ActionIcon, Chip, Group, Text, TextInput, Tooltip } from '@mantine/core';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { IconArrowDown, IconArrowUp, IconX } from '../../icons/drawn';
import { t } from '../../language/messages';
import type { Screen } from './screen';
import classes from './terminals.module.css';

const MARKS = {
  matchBackground: '#5c4a00',
  matchOverviewRuler: '#eab65c',
  activeMatchBackground: '#a05a00',
  activeMatchColorOverviewRuler: '#ff9c3f',
};

/** Searches what the terminal keeps. */
export function FindBar({ screen, onClose }: { screen: Screen; onClose: () => void }) {
  const [text, setText] = useState('');
  const [regex, setRegex] = useState(false);
  const [caseSensitive, setCase] = useState(false);
  const [found, setFound] = useState<{ at: number; of: number }>();
  const options = { regex, caseSensitive, decorations: MARKS };
  const valid = !regex || isPattern(text);

  useEffect(() => {
    const watching = screen.search.onDidChangeResults(({ resultIndex, resultCount }) =>
      setFound({ at: resultIndex + 1, of: resultCount }),
    );
    return () => {
      watching.dispose();
      screen.search.clearDecorations();
    };
  }, [screen]);
  useEffect(() => {
    if (text && (!regex || isPattern(text))) {
      screen.search.findPrevious(text, { regex, caseSensitive, decorations: MARKS, incremental: true });
    } else {
      screen.search.clearDecorations();
      setFound(undefined);
    }
  }, [screen, text, regex, caseSensitive]);

  const next = () => void (text && valid && screen.search.findNext(text, options));
  const previous = () => void (text && valid && screen.search.findPrevious(text, options));
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter') (event.shiftKey ? next : previous)();
    else if (event.key === 'Escape') onClose();
    else return;
    event.preventDefault();
  };
  return (
    <Group className={classes.find} gap="xs" role="search" aria-label={t('Find in the terminal')}>
      <TextInput
        size="xs"
        aria-label={t('Find')}
        placeholder={t('Find')}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={press}
        error={!valid}
        autoFocus
        className={classes.findText}
      />
      <Text size="xs" c="dimmed" role="status" className="jf-nowrap">
        {!valid
          ? t('Not a valid pattern')
          : found && text
            ? found.of
              ? t('{at} of {of}', { at: found.at || '–', of: found.of })
              : t('Nothing found')
            : ''}
      </Text>
      <Chip size="xs" checked={caseSensitive} onChange={setCase}>
        Aa
      </Chip>
      <Chip size="xs" checked={regex} onChange={setRegex}>
        .*
      </Chip>
      <Tooltip label={t('Previous match (Enter)')}>
        <ActionIcon size="sm" aria-label={t('Previous match')} onClick={previous}>
          <IconArrowUp size={14} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t('Next match (Shift+Enter)')}>
        <ActionIcon size="sm" aria-label={t('Next match')} onClick={next}>
          <IconArrowDown size={14} />
        </ActionIcon>
      </Tooltip>
      <ActionIcon size="sm" aria-label={t('Close the search')} onClick={onClose}>
        <IconX size={14} />
      </ActionIcon>
    </Group>
  );
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}
