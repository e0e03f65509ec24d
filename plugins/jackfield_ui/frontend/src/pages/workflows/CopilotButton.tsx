import { ActionIcon, Tooltip } from '@mantine/core';
import { IconSparkles } from '../../icons/drawn';
import { t } from '../../language/messages';
import { useDrafts } from './copilot/queries';
import classes from './editor.module.css';
import { useEditor } from './model/store';

/** Opens and closes the copilot, and tells how many drafts wait here. */
export function CopilotButton({ isOpen, onClick }: { isOpen: boolean; onClick: () => void }) {
  const workflow = useEditor((state) => state.id);
  const drafts = useDrafts(workflow, true);
  const waiting = drafts.data?.data.filter(({ changeCount }) => changeCount > 0).length ?? 0;
  // A daemon without the plugin has no drafts, and no copilot.
  if (drafts.error) return null;
  const label = waiting
    ? t('{waiting, plural, one {Copilot, # draft waits} other {Copilot, # drafts wait}}', { waiting })
    : t('Copilot');
  return (
    <Tooltip label={label} withinPortal={false}>
      <ActionIcon onClick={onClick} aria-label={label} aria-expanded={isOpen} className={classes.copilot}>
        <IconSparkles size={18} />
        {waiting > 0 && (
          <span className={classes.waiting} aria-hidden="true">
            {waiting}
          </span>
        )}
      </ActionIcon>
    </Tooltip>
  );
}
