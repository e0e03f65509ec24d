// @vitest-environment happy-dom
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { type ReactNode, useState } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Environment } from './Environment';
import { Hooks } from './Hooks';
import type { Detail } from './queries';
import { Settings } from './Settings';

vi.mock('../../app/session', () => ({ useMay: () => true }));
vi.mock('../../components/unsaved', () => ({ useUnsaved: () => {} }));
vi.mock('./ApiKey', () => ({ ApiKey: () => null }));
vi.mock('../../components/DirectoryInput', () => ({ DirectoryInput: () => null }));
Object.defineProperty(document, 'fonts', { value: new EventTarget() });

/** Answers to the change, when the test gives them. */
let answers: ((response: Response) => void)[] = [];
let user: ReturnType<typeof userEvent.setup>;
beforeEach(() => {
  answers = [];
  user = userEvent.setup({ delay: null });
  vi.stubGlobal('fetch', async (request: Request) =>
    request.method === 'PATCH'
      ? new Promise<Response>((resolve) => answers.push(resolve))
      : Response.json({ success: true, data: {} }),
  );
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const hook = (command: string) => ({ matcher: '*', hooks: [{ type: 'command', command }] });
const PROFILE = {
  alias: 'kiln',
  agent_id: 'claude',
  provider_id: 'zai',
  endpoint_id: 'default',
  model: 'one',
  working_dir: '/a',
  args: [],
  sandbox: 'off',
  persist: null,
  env: { A: '1' },
  hooks_config: { Stop: [hook('first'), hook('second')] },
} as unknown as Detail;

/** The page of a profile, which shows what is stored. */
function shown(part: (profile: Detail) => ReactNode): (change: Partial<Detail>) => void {
  let store: (change: Partial<Detail>) => void = () => {};
  function Page() {
    const [profile, setProfile] = useState(PROFILE);
    store = (change) => setProfile({ ...profile, ...change });
    return part(profile);
  }
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <Page />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return (change) => store(change);
}

const box = (name: string) => screen.getByRole<HTMLInputElement>('textbox', { name });
const press = (name: string) => user.click(screen.getByRole('button', { name }));
const saved = (change: Partial<Detail>) =>
  answers.shift()?.(Response.json({ success: true, data: { ...PROFILE, ...change } }));
const refused = (fields: Record<string, string>) =>
  answers.shift()?.(
    Response.json({ success: false, code: 'INVALID', message: 'It is not taken.', details: fields }, { status: 422 }),
  );
const idle = () => waitFor(() => expect(screen.getByRole('button', { name: 'Save' }).dataset.loading).toBeUndefined());

it.each(['Remove the hook 1', 'Add a hook'])(
  'what was refused is no longer said of other hooks: %s',
  async (change) => {
    shown((profile) => <Hooks profile={profile} supported />);
    const [, second] = screen.getAllByRole('textbox', { name: 'Command' });
    await user.type(second as HTMLElement, '!');
    await press('Save');
    refused({ 'hooks_config.Stop[1].hooks[0].command': 'is none' });
    await screen.findByRole('alert');
    await press(change);
    expect(screen.queryByRole('alert')).toBeNull();
    expect(screen.queryByText(/is none/)).toBeNull();
  },
);

it('what was refused is no longer said of other variables', async () => {
  shown((profile) => <Environment profile={profile} />);
  await user.type(box('Value of A'), '2');
  await press('Save');
  refused({ 'env.A': 'is too high' });
  await screen.findByRole('alert');
  await press('Undo');
  expect(screen.queryByRole('alert')).toBeNull();
});

it('what is typed while the hooks are saved stays', async () => {
  shown((profile) => <Hooks profile={profile} supported />);
  const [first, second] = screen.getAllByRole<HTMLInputElement>('textbox', { name: 'Command' });
  await user.type(second as HTMLElement, '!');
  await press('Save');
  await user.type(first as HTMLElement, '?');
  saved({ hooks_config: { Stop: [hook('first'), hook('second!')] } });
  await idle();
  expect([first?.value, second?.value]).toEqual(['first?', 'second!']);
});

it('what is typed while the variables are saved stays, also where it is as before', async () => {
  const store = shown((profile) => <Environment profile={profile} />);
  await user.type(box('Value of A'), '2');
  await press('Save');
  await user.type(box('Value of A'), '{Backspace}');
  store({ env: { A: '12' } });
  saved({ env: { A: '12' } });
  await idle();
  expect(box('Value of A').value).toBe('1');
  expect(screen.getByRole('button', { name: 'Undo' })).toBeDefined();
});

it('what is typed while the settings are saved stays', async () => {
  shown((profile) => <Settings profile={profile} agent={undefined} />);
  const arguments_ = box('Arguments');
  await user.type(arguments_, '--a');
  await press('Save');
  await user.type(arguments_, ' --b');
  saved({ args: ['--a'] });
  await idle();
  expect(arguments_.value).toBe('--a --b');
});
