import { IconMinus, IconPencil, IconPlus } from '../../../icons/drawn';
import { t } from '../../../language/messages';
import { MARK_WORDS, type Mark } from '../model/marks';
import { useActions } from './actions';
import classes from './mark.module.css';

export const MARK_ICONS = { added: IconPlus, changed: IconPencil, removed: IconMinus } as const;

/** A draft's mark at a node: a word and a sign, as colours alone do not tell everybody. The panel lists the same. */
export function NodeMark({ name, mark }: { name: string; mark: Mark }) {
  const actions = useActions();
  const Sign = MARK_ICONS[mark];
  return (
    <button
      type="button"
      className={`${classes.mark} nodrag nopan`}
      data-mark={mark}
      tabIndex={-1}
      aria-label={t('{markWords}: show what the draft does with {name}', { markWords: MARK_WORDS[mark], name })}
      onClick={(event) => {
        event.stopPropagation();
        actions.mark(name);
      }}
    >
      <Sign size={12} stroke={3} aria-hidden="true" /> {MARK_WORDS[mark]}
    </button>
  );
}
