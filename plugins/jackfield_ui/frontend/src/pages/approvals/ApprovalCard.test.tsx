// @vitest-environment happy-dom
import { MantineProvider } from '@mantine/core';
import { cleanup, render, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { afterEach, expect, it } from 'vitest';
import type { Approval } from '../../app/approvals';
import { ApprovalCard } from './ApprovalCard';

afterEach(cleanup);

it('shows no other text than the one that a person decides about', () => {
  const approval = {
    state: 'answered',
    title: 'a\u202eb',
    message: 'pay \u202e100',
    workflow: 'w\u200b',
    node: 'n\u2066',
    input: 'i\u202e',
    options: [],
    executionId: 'e',
    askedAt: 0,
  } as unknown as Approval;
  render(
    <MantineProvider>
      <MemoryRouter>
        <ApprovalCard approval={approval} />
      </MemoryRouter>
    </MantineProvider>,
  );
  const shown = screen.getByRole('article').textContent ?? '';
  expect(shown).not.toMatch(/\p{Cf}/u);
  for (const text of ['a\\u202eb', 'pay \\u202e100', 'w\\u200b', 'n\\u2066', 'i\\u202e']) expect(shown).toContain(text);
});
