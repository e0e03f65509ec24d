import { expect, test } from 'vitest';
import type { Doc } from '../model/document';
import { settingsOf, tagsOf, withSettings } from './settings';

const DOC: Doc = { name: 'W', nodes: [], connections: {} };

test('what is not said has the values that the engine takes for it', () => {
  expect(settingsOf(DOC)).toMatchObject({
    order: 'v0',
    saveSuccess: true,
    saveManual: true,
    timeout: '',
    timezone: '',
  });
  const settings = { executionTimeout: -1, saveDataErrorExecution: 'none', timezone: 'DEFAULT', executionOrder: 'v1' };
  expect(settingsOf({ ...DOC, settings })).toMatchObject({ order: 'v1', saveFailed: false, timeout: '', timezone: '' });
});

test('only what was changed is written, and the rest stays as it was', () => {
  const doc = { ...DOC, settings: { executionTimeout: -1, mine: [1], timezone: 'DEFAULT' } };
  expect(withSettings(doc, settingsOf(doc))).toBe(doc);
  const next = withSettings(doc, { ...settingsOf(doc), saveManual: false, timeout: 60 });
  expect(next.settings).toEqual({ executionTimeout: 60, mine: [1], timezone: 'DEFAULT', saveManualExecutions: false });
});

test('the time that is saved has n8n’s name', () => {
  const next = withSettings(DOC, { ...settingsOf(DOC), saved: 12 });
  expect(next.settings).toEqual({ timeSavedPerExecution: 12 });
  expect(settingsOf(next).saved).toBe(12);
});

test('a setting that is emptied goes', () => {
  const doc = { ...DOC, settings: { timezone: 'Europe/Berlin', errorWorkflow: 'w1' } };
  const next = withSettings(doc, { ...settingsOf(doc), timezone: '', errorWorkflow: '' });
  expect(next.settings).toEqual({});
});

test('tags are texts or objects', () => {
  expect(tagsOf({ ...DOC, tags: ['a', { id: '1', name: 'b' }] })).toEqual(['a', 'b']);
  expect(tagsOf(DOC)).toEqual([]);
});
