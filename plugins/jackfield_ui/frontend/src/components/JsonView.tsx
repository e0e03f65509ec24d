import { Box, Button, Group, SegmentedControl } from '@mantine/core';
import { createContext, type ReactNode, use, useMemo, useState } from 'react';
import { t } from '../language/messages';
import { CopyIcon } from './Copyable';
import { count } from './format';
import { Highlight } from './Highlight';
import { hitsInValue } from './items/values';
import classes from './JsonView.module.css';

/** Members of one object or list that are drawn at first, and with each "more". */
const CHUNK = 100;
/** Characters of a text, and of the raw view, that are shown at first. */
const LONG_TEXT = 500;
const LONG_RAW = 200_000;

/** What is looked for, in lower case. */
const Wanted = createContext('');

/** Any JSON value as a tree or as text. Values of any size: what is closed is not drawn. */
export function JsonView({
  value,
  label = 'JSON',
  depth = 2,
  maxHeight = 480,
  indexes,
  wanted = '',
  wrap = true,
}: {
  value: unknown;
  label?: string;
  /** Levels that are open at first. */
  depth?: number;
  maxHeight?: number | string;
  /** What the members of a list are numbered by, when they are some of more. */
  indexes?: readonly number[];
  /** What is marked; all that has it is open. */
  wanted?: string;
  /** Whether long texts are broken into lines; else they scroll sideways. */
  wrap?: boolean;
}) {
  const [view, setView] = useState('tree');
  const [all, setAll] = useState(false);
  const raw = useMemo(() => (view === 'raw' ? text(value) : ''), [view, value]);
  const shown = all ? raw : raw.slice(0, LONG_RAW);
  return (
    <Box className={classes.box}>
      <Group className={classes.bar} justify="space-between">
        <SegmentedControl
          size="xs"
          value={view}
          onChange={setView}
          data={[
            { value: 'tree', label: t('Tree') },
            { value: 'raw', label: t('Raw') },
          ]}
          aria-label={t('Show {label} as', { label })}
        />
        <CopyIcon text={() => text(value)} label={label} />
      </Group>
      <Box
        className={classes.scroll}
        mah={maxHeight}
        tabIndex={0}
        role="group"
        aria-label={label}
        data-wrap={wrap || undefined}
      >
        <Wanted value={wanted.toLowerCase()}>
          {view === 'raw' ? (
            <pre className={classes.raw}>
              <Highlight text={shown} wanted={wanted} />
            </pre>
          ) : (
            <ul className={classes.tree}>
              <Member name={undefined} value={value} open={depth} indexes={indexes} />
            </ul>
          )}
        </Wanted>
        {shown.length < raw.length && (
          <Button variant="subtle" onClick={() => setAll(true)}>
            {t('Show all {characters} characters', { characters: count(raw.length) })}
          </Button>
        )}
      </Box>
    </Box>
  );
}

function text(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? 'undefined';
}

interface Numbering {
  indexes?: readonly number[] | undefined;
}

function Member({
  name,
  value,
  open,
  ...more
}: { name: string | number | undefined; value: unknown; open: number } & Numbering) {
  const container = typeof value === 'object' && value !== null;
  if (container) return <Container name={name} value={value} open={open} {...more} />;
  return (
    <li>
      <Name name={name} />
      <Scalar value={value} />
    </li>
  );
}

function Container({
  name,
  value,
  open,
  indexes,
}: { name: string | number | undefined; value: object; open: number } & Numbering) {
  const wanted = use(Wanted);
  const [pressed, setOpened] = useState<boolean>();
  const has = useMemo(() => wanted !== '' && hitsInValue(value, wanted) > 0, [value, wanted]);
  const opened = pressed ?? (open > 0 || has);
  const [most, setMost] = useState(CHUNK);
  const list = Array.isArray(value);
  const size = list ? value.length : Object.keys(value).length;
  const [left, right] = list ? ['[', ']'] : ['{', '}'];
  const members = (): ReactNode[] =>
    list
      ? value
          .slice(0, most)
          .map((item, index) => <Member key={index} name={indexes?.[index] ?? index} value={item} open={open - 1} />)
      : Object.entries(value)
          .slice(0, most)
          .map(([key, item]) => <Member key={key} name={key} value={item} open={open - 1} />);
  if (size === 0) {
    return (
      <li>
        <Name name={name} />
        {left}
        {right}
      </li>
    );
  }
  return (
    <li>
      <button type="button" className={classes.toggle} aria-expanded={opened} onClick={() => setOpened(!opened)}>
        <span className={classes.arrow} data-opened={opened || undefined} aria-hidden="true" />
        <Name name={name} />
        {left}
        {!opened && (
          <span className={classes.size}>
            {count(size)} {list ? t('items') : t('keys')}
          </span>
        )}
        {!opened && right}
      </button>
      {opened && (
        <>
          <ul className={classes.tree}>{members()}</ul>
          {size > most && (
            <Button variant="subtle" size="compact-xs" ml="md" onClick={() => setMost(most + CHUNK)}>
              {t('{size} more', { size: count(size - most) })}
            </Button>
          )}
          <span className={classes.end}>{right}</span>
        </>
      )}
    </li>
  );
}

function Name({ name }: { name: string | number | undefined }) {
  const wanted = use(Wanted);
  if (name === undefined) return null;
  if (typeof name === 'number') return <span className={classes.index}>{name}: </span>;
  return (
    <span className={classes.name}>
      <Highlight text={name} wanted={wanted} />:{' '}
    </span>
  );
}

function Scalar({ value }: { value: unknown }) {
  const wanted = use(Wanted);
  const [all, setAll] = useState(false);
  if (typeof value !== 'string') {
    return (
      <span className={classes[typeof value] ?? classes.null}>
        <Highlight text={String(value)} wanted={wanted} />
      </span>
    );
  }
  const has =
    wanted !== '' &&
    value
      .slice(LONG_TEXT - wanted.length)
      .toLowerCase()
      .includes(wanted);
  const cut = !all && !has && value.length > LONG_TEXT;
  return (
    <>
      <span className={classes.string}>
        <Highlight text={JSON.stringify(cut ? value.slice(0, LONG_TEXT) : value)} wanted={wanted} />
      </span>
      {cut && (
        <Button variant="subtle" size="compact-xs" onClick={() => setAll(true)}>
          {t('{length} more characters', { length: count(value.length - LONG_TEXT) })}
        </Button>
      )}
    </>
  );
}
