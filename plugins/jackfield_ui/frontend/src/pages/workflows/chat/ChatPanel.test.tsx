// @vitest-environment happy-dom
import { MantineProvider } from '@mantine/core';
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { type ContextType, useContext } from 'react';
import { MemoryRouter } from 'react-router';
import { afterEach, expect, it, vi } from 'vitest';
import { LiveContext } from '../live/context';
import ChatPanel from './ChatPanel';

vi.mock('../model/store', () => ({ useEditor: () => 'w1' }));
vi.mock('../../../components/markdown/Markdown', () => ({ Markdown: ({ text }: { text: string }) => text }));
// happy-dom has none, and a text area that grows listens to them.
Object.defineProperty(document, 'fonts', { value: new EventTarget() });
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const SAVE = { save: async () => true } as unknown as Parameters<typeof ChatPanel>[0]['save'];
const refusal = (status: number, more: object = {}) =>
  Response.json({ code: 'NO', message: 'No.', ...more }, { status });

function With({ change, children }: { change: Partial<ContextType<typeof LiveContext>>; children: React.ReactNode }) {
  return <LiveContext value={{ ...useContext(LiveContext), ...change }}>{children}</LiveContext>;
}

it.each([
  ['an answer', Response.json({ output: 'Done' }), true],
  ['a failed execution', refusal(500, { executionId: 'e1' }), true],
  ['a message that is refused', refusal(404), false],
])('after %s the events of its execution are waited for, if there is one', async (_, answer, begun) => {
  vi.stubGlobal('fetch', async () => answer);
  const [listen, settle] = [vi.fn(), vi.fn()];
  render(
    <MantineProvider env="test">
      <MemoryRouter>
        <With change={{ listen, settle }}>
          <ChatPanel
            hidden={false}
            triggers={[{ name: 'Chat', type: 'n8n-nodes-base.chatTrigger', webhookId: 'kiln' } as never]}
            save={SAVE}
            onClose={() => {}}
          />
        </With>
      </MemoryRouter>
    </MantineProvider>,
  );
  const user = userEvent.setup({ delay: null });
  await user.type(screen.getByRole('textbox', { name: 'Message' }), 'Fire it');
  await user.click(screen.getByRole('button', { name: 'Send' }));
  await waitFor(() =>
    expect([settle.mock.calls.length, listen.mock.calls]).toEqual(begun ? [1, [[true]]] : [0, [[true], [false]]]),
  );
});
