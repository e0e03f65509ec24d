/** The setting by which a workflow is a tool of profiles’ agents. Pure. */

import { isRecord } from '../../../api/errors';
import { t } from '../../../language/messages';
import type { Doc } from '../model/document';

export interface Offer {
  enabled: boolean;
  name: string;
  description: string;
  /** JSON; empty: as the start node says. */
  schema: string;
}

export interface OfferErrors {
  name?: string;
  schema?: string;
}

const SETTING = 'offerAsTool';
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,39}$/;

/** n8n's `availableInMCP` offers a workflow that says nothing in our own words. */
export function offerOf(doc: Doc): Offer {
  const settings = isRecord(doc.settings) ? doc.settings : {};
  const given = settings[SETTING];
  if (!isRecord(given)) {
    return { enabled: settings.availableInMCP === true, name: '', description: '', schema: '' };
  }
  return {
    enabled: given.enabled !== false,
    name: text(given.name),
    description: text(given.description),
    schema: isRecord(given.inputSchema) ? JSON.stringify(given.inputSchema, null, 2) : '',
  };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Nothing is wrong with an offer that is off. */
export function errorsOf(offer: Offer): OfferErrors {
  const found: OfferErrors = {};
  if (!offer.enabled) return found;
  if (offer.name && !NAME.test(offer.name)) {
    found.name = t('Use 1 to 40 letters, digits, _ and -, and begin with a letter.');
  }
  if (offer.schema.trim() && schemaIn(offer.schema)?.type !== 'object') {
    found.schema = t('Write a JSON Schema of an object, such as {example}.', {
      example: '{"type": "object", "properties": {}}',
    });
  }
  return found;
}

function schemaIn(written: string): Record<string, unknown> | undefined {
  try {
    const found: unknown = JSON.parse(written);
    return isRecord(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Members that nobody sees here, such as the node to start at, stay as they are. */
export function withOffer(doc: Doc, next: Offer): Doc {
  if (JSON.stringify(next) === JSON.stringify(offerOf(doc))) return doc;
  const settings = isRecord(doc.settings) ? doc.settings : {};
  const { inputSchema, ...before } = isRecord(settings[SETTING]) ? settings[SETTING] : {};
  const schema = next.schema.trim() ? (schemaIn(next.schema) ?? inputSchema) : undefined;
  const offer = {
    ...before,
    enabled: next.enabled,
    name: next.name.trim(),
    description: next.description.trim(),
    ...(schema === undefined ? {} : { inputSchema: schema }),
  };
  return { ...doc, settings: { ...settings, [SETTING]: offer } };
}
