import { expect, it } from 'vitest';
import { connect, documentOf } from '../model/document';
import { type End, outputsOf, targetsOf } from './ends';

const NO_KINDS = new Map();
const node = (name: string, kind: string, parameters = {}) => ({
  id: name,
  name,
  type: `jackfield.${kind}`,
  parameters,
});
const doc = documentOf({
  nodes: [
    node('Start', 'manualTrigger'),
    node('Choose', 'switch', { rules: { values: [{ outputKey: 'hot' }, { outputKey: 'cold' }] } }),
    node('Join', 'merge', { numberInputs: 3 }),
    node('Model', 'model'),
    node('Agent', 'agent'),
  ],
  connections: {
    Start: { main: [[{ node: 'Choose', type: 'main', index: 0 }]] },
    Model: { ai_languageModel: [[{ node: 'Agent', type: 'ai_languageModel', index: 0 }]] },
  },
});
const labels = (name: string, from: End) => targetsOf(doc, NO_KINDS, name, from).map(({ label }) => label);

it('names outputs, and inputs where there are several', () => {
  const [hot, cold] = outputsOf(doc, NO_KINDS, 'Choose');
  expect([hot?.label, cold?.label]).toEqual(['hot', 'cold']);
  expect(labels('Choose', cold as End)).toEqual(['Join: input 1', 'Join: input 2', 'Join: input 3', 'Model', 'Agent']);
  const [join] = targetsOf(doc, NO_KINDS, 'Choose', cold as End).slice(1);
  expect(join?.wire).toEqual({
    source: 'Choose',
    type: 'main',
    output: 1,
    target: 'Join',
    targetType: 'main',
    input: 1,
  });
});

it('offers no trigger, nothing twice, and parts to what takes them', () => {
  const [start] = outputsOf(doc, NO_KINDS, 'Start');
  expect(labels('Start', start as End)).not.toContain('Choose');
  expect(labels('Choose', outputsOf(doc, NO_KINDS, 'Choose')[0] as End)).not.toContain('Start');
  const part = outputsOf(doc, NO_KINDS, 'Model').find(({ wire }) => wire.type === 'ai_languageModel');
  expect(part?.label).toBe('As Model');
  expect(labels('Model', part as End)).toEqual([]);
  const free = { ...doc, connections: { ...doc.connections, Model: {} } };
  expect(
    connect(free, { source: 'Model', type: 'ai_tool', output: 0, target: 'Agent', targetType: 'ai_tool', input: 0 }),
  ).not.toBe(free);
});
