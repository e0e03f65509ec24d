import { expect, test } from 'vitest';
import { categoriesOf, documentOfTemplate, fitting, type Template } from './templates';

const BASE = { credentials: [], setup: [], description: '' };
const RSS: Template = { ...BASE, id: 'rss', name: 'News of a feed', category: 'Schedules', nodeTypes: ['rssFeedRead'] };
const CSV: Template = { ...BASE, id: 'csv', name: 'CSV to JSON', category: 'Data', nodeTypes: ['webhook'] };

test('templates are found by all words of the search, in one category or all', () => {
  expect(fitting([RSS, CSV], 'FEED rss', '')).toEqual([RSS]);
  expect(fitting([RSS, CSV], '', 'Data')).toEqual([CSV]);
  expect(fitting([RSS, CSV], 'feed', 'Data')).toEqual([]);
  expect(categoriesOf([RSS, CSV, RSS])).toEqual(['Data', 'Schedules']);
});

test('what remains to be done stands on a note beside the nodes', () => {
  const nodes = [{ name: 'A', type: 'jackfield.webhook', position: [-100, 0] }];
  const credentials = [{ node: 'A', kind: 'hmacAuth' }];
  const made = documentOfTemplate({ ...RSS, credentials, setup: ['Replace it.'], workflow: { name: 'N', nodes } });
  const [, note] = made.nodes as { position: number[]; parameters: { content: string } }[];
  expect(note?.parameters.content).toContain('1. Choose a credential in **A**.\n2. Replace it.');
  expect(note?.position[0]).toBe(-400);
});

test('a template that needs nothing is taken as it is', () => {
  const workflow = { name: RSS.name, nodes: [] };
  expect(documentOfTemplate({ ...RSS, workflow })).toEqual(workflow);
});
