// @vitest-environment happy-dom
import { MantineProvider, NumberInput } from '@mantine/core';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, expect, it } from 'vitest';
import { speak } from '../language/messages';
import { separators, UNGROUPED } from './format';

afterEach(() => {
  cleanup();
  speak('en', 'en', {});
});

const [GROUPED, PLAIN] = [{}, UNGROUPED];

/** The input's text after these keys, and its value. */
async function typed(locale: string, keys: string, more = GROUPED) {
  speak(locale.slice(0, 2), locale, {});
  let told: string | number = '';
  function Input() {
    const [value, setValue] = useState<string | number>('');
    told = value;
    return <NumberInput aria-label="Heat" value={value} onChange={setValue} {...separators()} {...more} />;
  }
  render(
    <MantineProvider>
      <Input />
    </MantineProvider>,
  );
  const input = screen.getByRole<HTMLInputElement>('textbox', { name: 'Heat' });
  await userEvent.type(input, keys);
  fireEvent.blur(input);
  return [input.value, told];
}

it.each([
  ['en', '1234.5', '1,234.5', 1234.5],
  ['en', '1,234.5', '1,234.5', 1234.5],
  ['de-DE', '1234,5', '1.234,5', 1234.5],
  ['de-DE', '1.234,5', '1.234,5', 1234.5],
  ['de-DE', '1.234', '1.234', 1234],
  ['de-DE', '-0,05', '-0,05', -0.05],
])('reads digits as %s writes them: %s', async (locale, keys, text, value) => {
  expect(await typed(locale, keys)).toEqual([text, value]);
});

it.each([
  ['de-DE', '5432', '5432', 5432],
  ['de-DE', '0.7', '0,7', 0.7],
  ['en', '0,7', '0.7', 0.7],
])('groups no digits of what may be a port, in %s: %s', async (locale, keys, text, value) => {
  expect(await typed(locale, keys, PLAIN)).toEqual([text, value]);
});
