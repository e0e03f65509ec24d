/** A form in tests: with what is around it on the page. */
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, beforeAll, vi } from 'vitest';
import { NO_LISTS } from './context';
import type { NodeField, Values } from './model';
import { NodeFormView } from './NodeFormView';
import type { ListPlace } from './useOptions';

/** What a browser has and the document of the tests does not. */
export function prepare(): void {
  beforeAll(() => {
    Element.prototype.scrollIntoView = () => undefined;
    Object.defineProperty(document, 'fonts', { value: new EventTarget(), configurable: true });
  });
  afterEach(() => {
    cleanup();
    vi.unstubAllGlobals();
  });
}

export interface Shown {
  user: ReturnType<typeof userEvent.setup>;
  /** What the document holds now. */
  value: () => Values;
  /** How often the form has changed it. */
  changes: () => number;
}

export function shown(
  fields: readonly NodeField[],
  value: Values = {},
  {
    errors = {},
    editable = true,
    lists = NO_LISTS,
    version,
  }: { errors?: Record<string, string>; editable?: boolean; lists?: ListPlace; version?: number } = {},
): Shown {
  let present = value;
  let changes = 0;
  function Page() {
    const [held, setHeld] = useState(value);
    return (
      <NodeFormView
        forms={[{ versions: [1, 2], default: true, fields: [...fields] }]}
        documentVersion={version}
        value={held}
        onChange={(next) => {
          changes += 1;
          present = next;
          setHeld(next);
        }}
        errors={errors}
        editable={editable}
        lists={lists}
      />
    );
  }
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={client}>
        <Page />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return { user: userEvent.setup({ delay: null }), value: () => present, changes: () => changes };
}

/** Chooses from a list of choices. */
export async function choose(user: Shown['user'], label: string | RegExp, option: string | RegExp): Promise<void> {
  await user.click(screen.getByRole('combobox', { name: label }));
  await user.click(await screen.findByRole('option', { name: option }));
}
