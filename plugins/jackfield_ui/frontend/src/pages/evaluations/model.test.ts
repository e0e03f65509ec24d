import { expect, test } from 'vitest';
import { definitionOf, draftOf, newScorer } from './model';

const STORED = {
  description: 'd',
  tableId: 't',
  target: { kind: 'workflow', workflowId: 'w', version: 3, start: '', outputNode: 'Answer' },
  input: '',
  output: '={{ 1 }}',
  expected: '',
  passScore: 0.7,
  concurrent: 4,
  limits: { rows: 5, seconds: null, cost: 0.5, tokens: null },
  scorers: [
    { kind: 'expression', name: 'a', weight: 2, expression: '={{ true }}' },
    { kind: 'code', name: 'b', weight: 1, language: 'python', code: 'return 1' },
    { kind: 'judge', name: 'c', weight: 1, lowest: 1, highest: 5, instructions: 'i', profile: 'p', model: null },
    {
      kind: 'judge',
      name: 'd',
      weight: 1,
      lowest: 0,
      highest: 10,
      instructions: 'i',
      profile: null,
      model: { nodeType: 'lmChatOpenAi', typeVersion: 1, parameters: {}, credentials: {} },
    },
    { kind: 'metric', name: 'e', weight: 1, metric: 'Correctness', lowest: 1, highest: 5 },
  ],
};

test('a stored definition comes back from the form as it was', () => {
  expect(definitionOf(draftOf(STORED), STORED)).toEqual(STORED);
});

test('a profile replaces the workflow, and another workflow loses the version', () => {
  const draft = draftOf(STORED);
  expect(definitionOf({ ...draft, workflowId: 'x' }, STORED).target).toMatchObject({ workflowId: 'x', version: null });
  const target = definitionOf({ ...draft, kind: 'profile', profile: 'p', prompt: '=hi' }, STORED).target;
  expect(target).toEqual({ kind: 'profile', profile: 'p', prompt: '=hi', outputFormat: 'text', timeout: null });
});

test('a model that is no JSON is not sent', () => {
  const scorer = { ...newScorer('judge', 'j'), model: '{' };
  expect(() => definitionOf({ ...draftOf(STORED), scorers: [scorer] })).toThrow(SyntaxError);
});
