import { type Extension, Prec } from '@codemirror/state';
import { keymap } from '@codemirror/view';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type PanelState, usePanel } from '../context';
import { expressionCompletion } from './completion';
import { readSecretNames } from './secrets';
import type { Surroundings } from './types';
import { useVocabulary, type Vocabulary } from './vocabulary';
import { writing } from './writing';

/** Keys, as CodeMirror names them, and what they do. */
export type Keys = Readonly<Record<string, () => void>>;

/** Completion, braces and keys of an editor of a template. They stay the same while the panel changes. */
export function useExpressionExtensions(keys: Keys): Extension {
  const panel = usePanel();
  const vocabulary = useVocabulary();
  const client = useQueryClient();
  const present = useRef({ panel, vocabulary, keys });
  useEffect(() => {
    present.current = { panel, vocabulary, keys };
  }, [panel, vocabulary, keys]);
  const [extensions] = useState(() => {
    const bindings = Object.keys(keys).map((key) => ({
      key,
      // The page has other meanings for some of them.
      stopPropagation: true,
      run: () => {
        present.current.keys[key]?.();
        return true;
      },
    }));
    return [
      expressionCompletion(
        () => surroundings(present.current),
        () => readSecretNames(client),
      ),
      writing,
      // Escape closes a list of completions first.
      Prec.high(keymap.of(bindings.filter(({ key }) => key !== 'Escape'))),
      keymap.of(bindings.filter(({ key }) => key === 'Escape')),
    ];
  });
  return extensions;
}

function surroundings({
  panel,
  vocabulary,
}: {
  panel: PanelState;
  vocabulary: Vocabulary;
}): Omit<Surroundings, 'secrets'> {
  const { input, current, nodes, variables, parameters } = panel;
  return { vocabulary, current: filled(current, input), input, nodes, variables, parameters };
}

/** With the fields that other items have. */
function filled(current: PanelState['current'], input: PanelState['input']): PanelState['current'] {
  if (!current) return input[0];
  const json = Object.assign({}, ...input.slice(0, 100).map((item) => item.json), withoutNothing(current.json));
  return { ...current, json };
}

function withoutNothing(json: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(json).filter(([, value]) => value !== null && value !== undefined));
}
