// @vitest-environment happy-dom
import { MantineProvider } from '@mantine/core';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { Beside } from './Beside';

afterEach(cleanup);

function Broken({ words }: { words: string }): never {
  throw new Error(words);
}

it.each(['a kiln is missing', 'Failed to fetch dynamically imported module: x.js'])(
  'what is beside a part that fails stays, and the part is closed: %s',
  (words) => {
    vi.spyOn(console, 'error').mockReturnValue();
    const close = vi.fn();
    const page = (at: string) => (
      <MantineProvider>
        <p>The canvas</p>
        <Beside at={at} onClose={close}>
          {at === 'open' && <Broken words={words} />}
        </Beside>
      </MantineProvider>
    );
    const { rerender } = render(page('open'));
    expect(screen.getByText('The canvas')).toBeDefined();
    fireEvent.click(screen.getByRole('button', { name: 'Close' }));
    expect(close).toHaveBeenCalledOnce();
    rerender(page(''));
    expect(screen.queryByRole('alert')).toBeNull();
  },
);
