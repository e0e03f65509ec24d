import { Button, Group, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { t } from '../../../language/messages';
import { MARK_ICONS } from '../canvas/NodeMark';
import { FieldChanges, NodeFieldChanges } from '../FieldChanges';
import { wholeChange, wireText } from '../model/diff';
import { fieldWords } from '../model/fieldWords';
import { MARK_WORDS } from '../model/marks';
import { useSteps, useStore } from '../model/store';
import type { Unit } from './changes';
import classes from './copilot.module.css';
import type { Review } from './useReview';

/** Somebody has asked what the draft does with a node; `at` tells one question from the next. */
export interface Asked {
  name: string;
  at: number;
}

/** What the draft would change: each is accepted onto the canvas, or rejected. */
export function Changes({
  review,
  asked,
  onShow,
}: {
  review: Review;
  asked: Asked | undefined;
  onShow: (name: string) => void;
}) {
  const store = useStore();
  const { back } = useSteps();
  const { own, units, accept, reject } = review;
  const count = t('{own, plural, one {1 change to decide on} other {# changes to decide on}}', { own: own.length });
  return (
    <div className={classes.changes}>
      <Text size="sm" role="status">
        {own.length ? count : t('There is nothing to decide on.')}
      </Text>
      <Text size="sm" c="dimmed">
        {t('Accepted changes are on the canvas, unsaved. Nothing goes live before you save.')}
      </Text>
      <Group gap="sm">
        <Button size="xs" disabled={!own.length} onClick={() => accept(units)}>
          {t('Accept all')}
        </Button>
        <Button size="xs" variant="default" disabled={!own.length} onClick={() => reject(units)}>
          {t('Reject all')}
        </Button>
        <Button size="xs" variant="default" disabled={!back} onClick={() => store.undo()}>
          {t('Undo')}
        </Button>
      </Group>
      <ul className={classes.units} aria-label={t('Changes of the draft')}>
        {own.map((unit) => (
          <Change
            key={unit.id}
            unit={unit}
            review={review}
            asked={unit.what === 'node' && unit.name === asked?.name ? asked.at : undefined}
            onShow={onShow}
          />
        ))}
      </ul>
    </div>
  );
}

function Change({
  unit,
  review,
  asked,
  onShow,
}: {
  unit: Unit;
  review: Review;
  asked: number | undefined;
  onShow: (name: string) => void;
}) {
  const place = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (asked === undefined) return;
    place.current?.scrollIntoView({ block: 'nearest' });
    place.current?.focus();
  }, [asked]);
  const Sign = MARK_ICONS[unit.mark];
  const title = titleOf(unit);
  const node = nodeOf(unit);
  return (
    <li
      ref={place}
      className={classes.unit}
      data-mark={unit.mark}
      tabIndex={-1}
      aria-label={`${MARK_WORDS[unit.mark]}: ${title}`}
    >
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <span className={classes.sign}>
          <Sign size={13} stroke={3} aria-hidden="true" /> {MARK_WORDS[unit.mark]}
        </span>
        {node === undefined ? (
          <span className={classes.title}>{title}</span>
        ) : (
          <button
            type="button"
            className={classes.title}
            title={t('Show it on the canvas')}
            onClick={() => onShow(node)}
          >
            {title}
          </button>
        )}
      </Group>
      <Details unit={unit} review={review} />
      <Group gap="sm" mt="xs">
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t('Accept: {title}', { title })}
          onClick={() => review.accept([unit])}
        >
          {t('Accept')}
        </Button>
        <Button
          size="compact-sm"
          variant="subtle"
          aria-label={t('Reject: {title}', { title })}
          onClick={() => review.reject([unit])}
        >
          {t('Reject')}
        </Button>
      </Group>
    </li>
  );
}

function titleOf(unit: Unit): string {
  switch (unit.what) {
    case 'node':
      return unit.change?.was === undefined
        ? unit.name
        : t('{name}, from now on {newName}', { name: unit.name, newName: unit.change.name });
    case 'wire':
      return t('Wire from {ends}', { ends: wireText(unit.wire) });
    case 'places':
      return t('{names, plural, one {The place of 1 node} other {The places of # nodes}}', {
        names: unit.names.length,
      });
    default:
      return fieldWords(unit.place.join('.'));
  }
}

/** The node that shows it, by its name on the canvas. */
function nodeOf(unit: Unit): string | undefined {
  if (unit.what === 'node') return unit.name;
  return unit.what === 'wire' ? unit.wire.source : undefined;
}

function Details({ unit, review: { goal } }: { unit: Unit; review: Review }) {
  if (unit.what === 'part') return <FieldChanges fields={unit.fields} words={(path) => fieldWords(path)} />;
  if (unit.what !== 'node') return null;
  const added = unit.mark === 'added' ? goal.nodes.find(({ name }) => name === unit.name) : undefined;
  const change = added ? wholeChange(added) : unit.change;
  return (
    <>
      {unit.isClash && (
        <Text size="sm" c="var(--jf-warn)">
          {t('It has also changed on the canvas. If you accept it, the draft replaces that change.')}
        </Text>
      )}
      {change && change.fields.length > 0 && (
        <details open={!added}>
          <summary>{added ? t('Parameters') : t('Before and after')}</summary>
          <NodeFieldChanges change={change} />
        </details>
      )}
    </>
  );
}
