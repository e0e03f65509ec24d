// @vitest-environment happy-dom
import { MantineProvider } from '@mantine/core';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, expect, it } from 'vitest';
import { speak } from '../../language/messages';
import { NumberField, type NumberFieldProps } from './NumberField';

afterEach(() => {
  cleanup();
  speak('en', 'en', {});
});

/** The field, and what it has told. */
function shown(locale: string, props: NumberFieldProps = {}, before: number | string = '') {
  speak(locale.slice(0, 2), locale, {});
  const told: { value: string | number } = { value: before };
  function Field() {
    const [value, setValue] = useState<string | number>(before);
    told.value = value;
    return <NumberField label="Heat" {...props} value={value} onChange={setValue} />;
  }
  render(
    <MantineProvider>
      <Field />
    </MantineProvider>,
  );
  return { told, input: screen.getByRole<HTMLInputElement>('textbox', { name: 'Heat' }) };
}

it.each([
  ['en', '1234.5', '1,234.5', 1234.5],
  ['en', '1,234.5', '1,234.5', 1234.5],
  ['en', '0,7', '0.7', 0.7],
  ['de-DE', '1234,5', '1.234,5', 1234.5],
  ['de-DE', '1.234,5', '1.234,5', 1234.5],
  ['de-DE', '1.234', '1.234', 1234],
  ['de-DE', '0.50', '0,5', 0.5],
  ['de-DE', '-0,05', '-0,05', -0.05],
])('in %s %s is shown as %s when the field is left', async (locale, keys, text, value) => {
  const { told, input } = shown(locale);
  await userEvent.type(input, keys);
  expect([input.value, told.value]).toEqual([keys, value]);
  fireEvent.blur(input);
  expect([input.value, told.value]).toEqual([text, value]);
});

it('Enter shows the value as it was understood, before a form is sent', async () => {
  const { told, input } = shown('de-DE');
  await userEvent.type(input, '1234.5{Enter}');
  expect([input.value, told.value]).toEqual(['1234,5', 1234.5]);
  fireEvent.blur(input);
  expect(input.value).toBe('1.234,5');
});

it.each([
  ['en', { decimals: 0 }, '{End}0', 12_340],
  ['en', {}, '{End}5', 12_345],
  ['de-DE', {}, '{End}5', 12_345],
  ['de-DE', {}, '{End}{Backspace}', 123],
  ['en', { decimals: 0 }, '{End}{Backspace}', 123],
])('in %s with %j a number of more than three digits is edited: %s', async (locale, props, keys, value) => {
  const { told, input } = shown(locale, props, 1234);
  expect(input.value).toMatch(/^1[.,]234$/);
  await userEvent.type(input, keys);
  expect([input.value, told.value]).toEqual([String(value), value]);
});

it('the Tab key selects the number, also where its groups go', async () => {
  const { told, input } = shown('en', {}, 1234);
  await userEvent.tab();
  await userEvent.keyboard('7');
  expect([input.value, told.value]).toEqual(['7', 7]);
});

it('a selection that is made at once after the focus stays', async () => {
  const { told, input } = shown('en', {}, 60_000);
  act(() => {
    input.focus();
    input.select();
  });
  await userEvent.keyboard('7');
  expect([input.value, told.value]).toEqual(['7', 7]);
});

it.each([
  ['en', { decimals: 0 }, '1.5', 'Counts as 2', 2],
  ['de-DE', { decimals: 2 }, '0.555', 'Counts as 0,56', 0.56],
  ['en', { max: 5 }, '7', 'Counts as 5', 5],
  ['en', { max: 5 }, '99999999999999999999', 'Counts as 5', 5],
  ['en', { max: 5, clamped: false }, '7', '', 7],
  ['en', {}, '1234.50', '', 1234.5],
  ['en', { decimals: 0 }, '1.500', '', 1500],
])('in %s with %j the field says when %s counts as another number: %s', async (locale, props, keys, words, value) => {
  const { told, input } = shown(locale, props);
  await userEvent.type(input, keys);
  expect(document.querySelector('[aria-live]')?.textContent).toBe(words);
  fireEvent.blur(input);
  expect(told.value).toBe(value);
  expect(document.querySelector('[aria-live]')?.textContent).toBe('');
});

it.each([
  [{ grouped: false }, '5432', '5432', 5432],
  [{ decimals: 2 }, '0.555', '0,56', 0.56],
  [{ decimals: 0 }, '1.5', '2', 2],
  [{ min: 0 }, '-3', '3', 3],
  [{ max: 5 }, '7', '5', 5],
  [{ max: 5, clamped: false }, '7', '7', 7],
])('keeps to %j', async (props, keys, text, value) => {
  const { told, input } = shown('de-DE', props);
  await userEvent.type(input, keys);
  fireEvent.blur(input);
  expect([input.value, told.value]).toEqual([text, value]);
});

it('arrow keys and the mouse step, within the bounds', async () => {
  const { told, input } = shown('de-DE', { step: 0.1, max: 0.4 }, 0.2);
  await userEvent.type(input, '{ArrowUp}');
  expect([input.value, told.value]).toEqual(['0,3', 0.3]);
  await userEvent.type(input, '{ArrowUp}{ArrowUp}{ArrowDown}');
  expect(told.value).toBe(0.3);
  const [more] = document.querySelectorAll('[aria-hidden] button');
  await userEvent.click(more as HTMLElement);
  expect(told.value).toBe(0.4);
});

it('an emptied field tells of no number, and one that is only read does not step', async () => {
  const { told, input } = shown('en', {}, 5);
  await userEvent.clear(input);
  expect([input.value, told.value]).toEqual(['', '']);
  cleanup();
  const read = shown('en', { readOnly: true }, 5);
  await userEvent.type(read.input, '{ArrowUp}');
  expect(read.told.value).toBe(5);
  expect(document.querySelector('[aria-hidden] button')).toBeNull();
});
