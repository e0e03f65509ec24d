// @vitest-environment happy-dom
import { MantineProvider } from '@mantine/core';
import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, expect, it } from 'vitest';
import { separators } from '../../components/format';
import { speak } from '../../language/messages';
import { BudgetInputs } from './BudgetInputs';
import { draftOf } from './model';

afterEach(() => {
  cleanup();
  speak('en', 'en', {});
});

it.each(['0.5', '0,5'])('takes half a dollar in German too: %s', async (keys) => {
  speak('de', 'de-DE', {});
  let told = draftOf({});
  function Form() {
    const [draft, setDraft] = useState(told);
    told = draft;
    return <BudgetInputs draft={draft} errors={{}} onChange={setDraft} />;
  }
  render(
    <MantineProvider theme={{ components: { NumberInput: { defaultProps: separators() } } }}>
      <Form />
    </MantineProvider>,
  );
  await userEvent.type(screen.getByRole('textbox', { name: 'US dollars a day' }), keys);
  expect(told.day.usd).toBe(0.5);
});
