import { Box, Button, Group, SegmentedControl } from '@mantine/core';
import { type ReactNode, useMemo, useState } from 'react';
import { CopyIcon } from './Copyable';
import { count } from './format';
import classes from './JsonView.module.css';

/** Members of one object or list that are drawn at first, and with each "more". */
const CHUNK = 100;
/** Characters of a text, and of the raw view, that are shown at first. */
const LONG_TEXT = 500;
const LONG_RAW = 200_000;

/** Any JSON value as a tree or as text. Values of any size: what is closed is not drawn. */
export function JsonView({
  value,
  label = 'JSON',
  depth = 2,
  maxHeight = 480,
}: {
  value: unknown;
  label?: string;
  /** Levels that are open at first. */
  depth?: number;
  maxHeight?: number | string;
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
            { value: 'tree', label: 'Tree' },
            { value: 'raw', label: 'Raw' },
          ]}
          aria-label={`Show ${label} as`}
        />
        <CopyIcon text={() => text(value)} label={label} />
      </Group>
      <Box className={classes.scroll} mah={maxHeight} tabIndex={0} role="group" aria-label={label}>
        {view === 'raw' ? (
          <pre className={classes.raw}>{shown}</pre>
        ) : (
          <ul className={classes.tree}>
            <Member name={undefined} value={value} open={depth} />
          </ul>
        )}
        {shown.length < raw.length && (
          <Button variant="subtle" onClick={() => setAll(true)}>
            Show all {count(raw.length)} characters
          </Button>
        )}
      </Box>
    </Box>
  );
}

function text(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? 'undefined';
}

function Member({ name, value, open }: { name: string | number | undefined; value: unknown; open: number }) {
  const container = typeof value === 'object' && value !== null;
  if (container) return <Container name={name} value={value} open={open} />;
  return (
    <li>
      <Name name={name} />
      <Scalar value={value} />
    </li>
  );
}

function Container({ name, value, open }: { name: string | number | undefined; value: object; open: number }) {
  const [opened, setOpened] = useState(open > 0);
  const [most, setMost] = useState(CHUNK);
  const list = Array.isArray(value);
  const size = list ? value.length : Object.keys(value).length;
  const [left, right] = list ? ['[', ']'] : ['{', '}'];
  const members = (): ReactNode[] =>
    list
      ? value.slice(0, most).map((item, index) => <Member key={index} name={index} value={item} open={open - 1} />)
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
            {count(size)} {list ? 'items' : 'keys'}
          </span>
        )}
        {!opened && right}
      </button>
      {opened && (
        <>
          <ul className={classes.tree}>{members()}</ul>
          {size > most && (
            <Button variant="subtle" size="compact-xs" ml="md" onClick={() => setMost(most + CHUNK)}>
              {count(size - most)} more
            </Button>
          )}
          <span className={classes.end}>{right}</span>
        </>
      )}
    </li>
  );
}

function Name({ name }: { name: string | number | undefined }) {
  if (name === undefined) return null;
  return <span className={typeof name === 'number' ? classes.index : classes.name}>{name}: </span>;
}

function Scalar({ value }: { value: unknown }) {
  const [all, setAll] = useState(false);
  if (typeof value !== 'string') return <span className={classes[typeof value] ?? classes.null}>{String(value)}</span>;
  const cut = !all && value.length > LONG_TEXT;
  return (
    <>
      <span className={classes.string}>{JSON.stringify(cut ? value.slice(0, LONG_TEXT) : value)}</span>
      {cut && (
        <Button variant="subtle" size="compact-xs" onClick={() => setAll(true)}>
          {count(value.length - LONG_TEXT)} more characters
        </Button>
      )}
    </>
  );
}
