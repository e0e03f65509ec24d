// @vitest-environment happy-dom
import { MantineProvider } from '@mantine/core';
import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, expect, it } from 'vitest';
import { speak } from '../../language/messages';
import { newScorer, type ScorerDraft } from './model';
import { Scorers } from './Scorers';

afterEach(() => {
  cleanup();
  speak('en', 'en', {});
});

it.each(['0.5', '0.50', '0,5'])('takes a half as weight in German too: %s', async (keys) => {
  speak('de', 'de-DE', {});
  let told: readonly ScorerDraft[] = [];
  function Form() {
    const [scorers, setScorers] = useState([newScorer('metric', 'Score')]);
    told = scorers;
    return <Scorers scorers={scorers} onChange={setScorers} />;
  }
  render(
    <MantineProvider>
      <Form />
    </MantineProvider>,
  );
  const weight = screen.getByRole('textbox', { name: 'Weight' });
  await userEvent.clear(weight);
  await userEvent.type(weight, keys);
  expect(told[0]?.weight).toBe(0.5);
});
