// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import type { NodeField } from '../model';
import { prepare, shown } from '../testing';

const fail = (): never => {
  throw new Error('no kiln');
};
const CONTROLS = {
  unborn: fail,
  nothing: () => undefined,
  late: async () => ({ update: vi.fn() }),
  stiff: () => ({ update: fail }),
  sound: (element: HTMLElement) => {
    element.textContent = 'heat';
    return { update: vi.fn(), unmount: fail };
  },
};
vi.mock('../../../../app/extensions', async (original) => ({
  ...(await original<typeof import('../../../../app/extensions')>()),
  useExtension: () => ({ module: { controls: CONTROLS }, error: null }),
}));
vi.mock('../../../../app/extensionHost', async (original) => ({
  ...(await original<typeof import('../../../../app/extensionHost')>()),
  useHost: () => ({}),
}));
prepare();

const field = (control: string): NodeField => ({
  name: 'it',
  control: 'number',
  label: 'Heat',
  options: { extension: `kilns/${control}` },
});

it.each(['unborn', 'late', 'stiff'])(
  'a control that fails leaves the field to the one it has itself: %s',
  async (name) => {
    const form = shown([field(name)], { it: 7 });
    expect(screen.getByText(/The extension “kilns” has failed/)).toBeDefined();
    await form.user.type(screen.getByRole('textbox', { name: 'Heat' }), '1');
    expect(form.value()).toEqual({ it: 71 });
  },
);

it.each(['sound', 'nothing'])('a control that cannot end is gone all the same: %s', (name) => {
  shown([field(name)], { it: 7 });
  expect(screen.getByRole('group', { name: 'Heat' })).toBeDefined();
  cleanup();
  expect(screen.queryByRole('group', { name: 'Heat' })).toBeNull();
});
