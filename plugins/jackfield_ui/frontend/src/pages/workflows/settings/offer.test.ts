import { expect, test } from 'vitest';
import type { Doc } from '../model/document';
import { errorsOf, offerOf, withOffer } from './offer';

const DOC: Doc = { name: 'W', nodes: [], connections: {} };
const OFFER = { enabled: true, name: 'total', description: 'Sums.', schema: '' };

test('nothing is offered unless the document says so, in our words or in those of n8n', () => {
  expect(offerOf(DOC).enabled).toBe(false);
  expect(offerOf({ ...DOC, settings: { availableInMCP: true } }).enabled).toBe(true);
  const settings = { availableInMCP: true, offerAsTool: { enabled: false, name: 'total' } };
  expect(offerOf({ ...DOC, settings })).toMatchObject({ enabled: false, name: 'total' });
});

test('an offer that is not changed leaves the document as it is', () => {
  const doc = { ...DOC, settings: { offerAsTool: { name: 'total', startNode: 'Call' } } };
  expect(withOffer(doc, offerOf(doc))).toBe(doc);
  expect(withOffer(doc, { ...offerOf(doc), description: 'Sums.' }).settings).toEqual({
    offerAsTool: { enabled: true, name: 'total', description: 'Sums.', startNode: 'Call' },
  });
});

test('a schema is stored as an object, and goes when it is emptied', () => {
  const schema = { type: 'object', properties: { n: { type: 'number' } } };
  const doc = withOffer(DOC, { ...OFFER, schema: JSON.stringify(schema) });
  expect(doc.settings).toMatchObject({ offerAsTool: { inputSchema: schema } });
  expect(withOffer(doc, OFFER).settings).toEqual({
    offerAsTool: { enabled: true, name: 'total', description: 'Sums.' },
  });
});

test('wrong names and schemas are told, unless the offer is off', () => {
  expect(errorsOf(OFFER)).toEqual({});
  expect(Object.keys(errorsOf({ ...OFFER, name: '1 x', schema: '[1]' }))).toEqual(['name', 'schema']);
  expect(Object.keys(errorsOf({ ...OFFER, schema: '{"type": "string"}' }))).toEqual(['schema']);
  expect(errorsOf({ ...OFFER, enabled: false, name: '1 x' })).toEqual({});
});
