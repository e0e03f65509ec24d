// @vitest-environment happy-dom
import { MantineProvider } from '@mantine/core';
import { cleanup, render, renderHook, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { DataTable } from '../DataTable';
import type { Column } from './types';
import { useRows } from './useRows';

afterEach(cleanup);

interface Kiln {
  name: string;
  heat: number | null;
}

const COLUMNS: Column<Kiln>[] = [
  { key: 'name', title: 'Name', render: ({ name }) => name, sort: ({ name }) => name, primary: true },
  { key: 'heat', title: 'Heat', render: ({ heat }) => heat, sort: ({ heat }) => heat },
];
const KILNS = [
  { name: 'k10', heat: null },
  { name: 'K9', heat: 900 },
  { name: 'k1', heat: 1100 },
];
const keyOf = ({ name }: Kiln) => name;
const sortedBy = (key: string, descending: boolean) => {
  const initialSort = { key, descending };
  const found = renderHook(() => useRows({ columns: COLUMNS, rows: KILNS, rowKey: keyOf, initialSort }));
  return found.result.current.shown?.map(keyOf);
};

it('sorts names with numbers in them, and puts what has no value to the end either way', () => {
  expect(sortedBy('name', false)).toEqual(['k1', 'K9', 'k10']);
  expect(sortedBy('name', true)).toEqual(['k10', 'K9', 'k1']);
  expect(sortedBy('heat', false)).toEqual(['K9', 'k1', 'k10']);
  expect(sortedBy('heat', true)).toEqual(['k1', 'K9', 'k10']);
  expect(sortedBy('gone', true)).toEqual(['k10', 'K9', 'k1']);
});

it('is sorted by its heads, goes by keys, opens and selects', async () => {
  const opened = vi.fn();
  const chosen = vi.fn();
  render(
    <MantineProvider>
      <DataTable
        label="Kilns"
        columns={COLUMNS}
        rows={KILNS}
        rowKey={keyOf}
        onOpen={opened}
        selection={{ selected: new Set(), onChange: chosen }}
      />
    </MantineProvider>,
  );
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Heat' }));
  expect(screen.getByRole('columnheader', { name: 'Heat' }).getAttribute('aria-sort')).toBe('ascending');
  const rows = screen.getAllByRole('row').slice(1);
  expect(rows.map((row) => row.textContent)).toEqual(['K9900', 'k11100', 'k10']);
  rows[0]?.focus();
  await user.keyboard('{ArrowDown}{Enter}{End} ');
  expect(opened).toHaveBeenCalledWith(KILNS[2]);
  expect(chosen).toHaveBeenCalledWith(new Set(['k10']));
});
