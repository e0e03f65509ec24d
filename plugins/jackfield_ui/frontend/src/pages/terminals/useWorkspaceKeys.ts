import { useEffect, useEffectEvent } from 'react';
import { useShortcuts } from '../../app/shortcuts';
import { t } from '../../language/messages';

export type Command =
  | 'fresh'
  | 'right'
  | 'down'
  | 'close'
  | 'nextTab'
  | 'previousTab'
  | 'nextPane'
  | 'previousPane'
  | 'menu';

/** By the key's place: with Alt the sign is another one on many keyboards. */
const KEYS: Record<string, { command: Command; shown: string; label: string }> = {
  KeyN: { command: 'fresh', shown: 'N', label: t('New terminal session') },
  KeyD: { command: 'right', shown: 'D', label: t('Split to the right') },
  KeyE: { command: 'down', shown: 'E', label: t('Split downwards') },
  KeyW: { command: 'close', shown: 'W', label: t('Close the pane; its session goes on') },
  ArrowRight: { command: 'nextTab', shown: 'ArrowRight', label: t('Next tab') },
  ArrowLeft: { command: 'previousTab', shown: 'ArrowLeft', label: t('Previous tab') },
  ArrowDown: { command: 'nextPane', shown: 'ArrowDown', label: t('Next pane') },
  ArrowUp: { command: 'previousPane', shown: 'ArrowUp', label: t('Previous pane') },
  KeyM: { command: 'menu', shown: 'M', label: t('Move from the terminal to its menu') },
};

function commandOf({ altKey, shiftKey, ctrlKey, metaKey, code }: KeyboardEvent): Command | undefined {
  return altKey && shiftKey && !ctrlKey && !metaKey ? KEYS[code]?.command : undefined;
}

/** Alt+Shift and a key, everywhere on the page. The result is for terminals: false for a key that is not the agent's. */
export function useWorkspaceKeys(commands: Record<Command, () => void>): (event: KeyboardEvent) => boolean {
  const run = useEffectEvent((command: Command) => commands[command]());
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const command = commandOf(event);
      if (!command || document.querySelector('[role=dialog], [role=alertdialog]')) return;
      event.preventDefault();
      event.stopPropagation();
      run(command);
    };
    window.addEventListener('keydown', onKey, true);
    return () => window.removeEventListener('keydown', onKey, true);
  }, []);
  // For the help alone: the listener above is first.
  useShortcuts(
    Object.values(KEYS).map(({ command, shown, label }) => ({
      keys: `alt+shift+${shown}`,
      label,
      run: () => commands[command](),
      inFields: true,
    })),
  );
  return (event) => commandOf(event) === undefined;
}
