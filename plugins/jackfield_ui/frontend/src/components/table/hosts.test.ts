import { expect, it } from 'vitest';
import { withHost } from './hosts';
import type { Column } from './types';

type Kiln = { name: string; host?: string | null };

const COLUMNS: Column<Kiln>[] = ['name', 'heat'].map((key) => ({ key, title: key, render: () => null }));
const titles = (...hosts: (string | null | undefined)[]) =>
  withHost(
    COLUMNS,
    hosts.map((host) => ({ name: 'k', host })),
  ).map(({ title }) => title);

it('shows hosts where there are several', () => {
  expect(titles('alpha', 'beta')).toEqual(['name', 'Host', 'heat']);
  for (const one of [titles(), titles('alpha', 'alpha'), titles(undefined, null)])
    expect(one).toEqual(['name', 'heat']);
  expect(withHost(COLUMNS, undefined)).toBe(COLUMNS);
});
