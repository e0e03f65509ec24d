/** Which form a node has, and which of its fields matter now. Pure. */
import { isRecord } from '../../../api/errors';
import type { Schema } from '../../../components/schema/schema';
import type { KindWhole } from '../queries';

/** The form of the node's version: without a version the default one, for newer ones the newest. */
export function formOf(kind: KindWhole, version: number | undefined): Schema {
  const forms = kind.forms ?? [];
  const found =
    version === undefined ? forms.find((form) => form.default) : forms.find((form) => form.versions.includes(version));
  return found?.parameters ?? kind.parameters;
}

export interface Choice {
  /** Names of the parameters that choose: resource, operation. */
  keys: string[];
  /** Key -> what may be chosen, under what is chosen before it. */
  options: Record<string, string[]>;
  chosen: Record<string, string>;
  schema: Schema;
}

/** A service's form is one of many, by resource and operation; undefined for the others. */
export function choiceOf(form: Schema, parameters: Record<string, unknown>): Choice | undefined {
  const variants = form.oneOf;
  if (!variants?.length) return undefined;
  const keys = Object.entries(variants[0]?.properties ?? {}).flatMap(([key, one]) => ('const' in one ? [key] : []));
  if (!keys.length) return undefined;
  const options: Record<string, string[]> = {};
  const chosen: Record<string, string> = {};
  let left = variants;
  for (const key of keys) {
    const values = [...new Set(left.map((one) => String(one.properties?.[key]?.const)))];
    options[key] = values;
    const given = parameters[key];
    const value = typeof given === 'string' && values.includes(given) ? given : (values[0] ?? '');
    chosen[key] = value;
    left = left.filter((one) => String(one.properties?.[key]?.const) === value);
  }
  const [schema = {}] = left;
  const properties = Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([key]) => !keys.includes(key)));
  return { keys, options, chosen, schema: { ...schema, properties, $defs: { ...form.$defs, ...schema.$defs } } };
}

type Given = (name: string) => unknown;
type Rule = (given: Given) => boolean;
const is =
  (name: string, ...values: unknown[]): Rule =>
  (given) =>
    values.includes(given(name)) || (typeof given(name) === 'string' && String(given(name)).startsWith('='));
const all =
  (...rules: Rule[]): Rule =>
  (given) =>
    rules.every((rule) => rule(given));
const never: Rule = () => false;

/** Fields that say nothing unless others have certain values. What is not listed is always shown. */
const RULES: Record<string, Record<string, Rule>> = {
  httpRequest: {
    genericAuthType: is('authentication', 'genericCredentialType'),
    nodeCredentialType: is('authentication', 'predefinedCredentialType'),
    specifyQuery: is('sendQuery', true),
    queryParameters: all(is('sendQuery', true), is('specifyQuery', 'keypair')),
    jsonQuery: all(is('sendQuery', true), is('specifyQuery', 'json')),
    specifyHeaders: is('sendHeaders', true),
    headerParameters: all(is('sendHeaders', true), is('specifyHeaders', 'keypair')),
    jsonHeaders: all(is('sendHeaders', true), is('specifyHeaders', 'json')),
    contentType: is('sendBody', true),
    specifyBody: all(is('sendBody', true), is('contentType', 'json', 'form-urlencoded')),
    bodyParameters: all(
      is('sendBody', true),
      is('contentType', 'json', 'form-urlencoded', 'multipart-form-data'),
      (given) => given('contentType') === 'multipart-form-data' || given('specifyBody') === 'keypair',
    ),
    jsonBody: all(is('sendBody', true), is('contentType', 'json'), is('specifyBody', 'json')),
    body: all(is('sendBody', true), (given) => given('contentType') === 'raw' || given('specifyBody') === 'string'),
    rawContentType: all(is('sendBody', true), is('contentType', 'raw')),
    inputDataFieldName: all(is('sendBody', true), is('contentType', 'binaryData')),
  },
  webhook: {
    authConfig: (given) => given('authentication') !== 'none',
    responseData: is('responseMode', 'lastNode'),
    responseCode: is('responseMode', 'onReceived', 'lastNode'),
    responseBinaryPropertyName: all(is('responseMode', 'lastNode'), is('responseData', 'firstEntryBinary')),
  },
  respondToWebhook: {
    responseBody: is('respondWith', 'json', 'text'),
    redirectURL: is('respondWith', 'redirect'),
    responseDataSource: is('respondWith', 'binary'),
    inputFieldName: all(is('respondWith', 'binary'), is('responseDataSource', 'set')),
    payload: is('respondWith', 'jwt'),
  },
  set: {
    assignments: is('mode', 'manual'),
    fields: is('mode', 'manual'),
    jsonOutput: is('mode', 'raw'),
    duplicateCount: is('duplicateItem', true),
    include: is('includeOtherFields', true),
    includeFields: all(is('includeOtherFields', true), is('include', 'selected')),
    excludeFields: all(is('includeOtherFields', true), is('include', 'except')),
  },
  code: {
    jsCode: is('language', 'javaScript'),
    pythonCode: is('language', 'python', 'pythonNative'),
    rhaiCode: is('language', 'rhai'),
  },
  switch: {
    output: is('mode', 'expression'),
    numberOutputs: is('mode', 'expression'),
    rules: is('mode', 'rules'),
  },
  merge: {
    combineBy: is('mode', 'combine'),
    advanced: all(is('mode', 'combine'), is('combineBy', 'combineByFields')),
    fieldsToMatchString: all(is('mode', 'combine'), is('combineBy', 'combineByFields'), (given) => !given('advanced')),
    mergeByFields: all(is('mode', 'combine'), is('combineBy', 'combineByFields'), is('advanced', true)),
    joinMode: all(is('mode', 'combine'), is('combineBy', 'combineByFields')),
    outputDataFrom: all(is('mode', 'combine'), is('combineBy', 'combineByFields')),
    query: is('mode', 'combineBySql'),
    output: is('mode', 'chooseBranch'),
    useDataOfInput: is('mode', 'chooseBranch'),
    numberInputs: is('mode', 'append', 'combineBySql', 'chooseBranch', 'combine'),
  },
  wait: {
    amount: is('resume', 'timeInterval'),
    unit: is('resume', 'timeInterval'),
    dateTime: is('resume', 'specificTime'),
    limitWaitTime: is('resume', 'webhook', 'form'),
    limitType: all(is('resume', 'webhook', 'form'), is('limitWaitTime', true)),
    resumeAmount: all(is('limitWaitTime', true), is('limitType', 'afterTimeInterval')),
    resumeUnit: all(is('limitWaitTime', true), is('limitType', 'afterTimeInterval')),
    maxDateAndTime: all(is('limitWaitTime', true), is('limitType', 'atSpecifiedTime')),
  },
  executeWorkflow: {
    workflowId: is('source', 'database'),
    workflowJson: is('source', 'parameter'),
    workflowPath: is('source', 'localFile'),
  },
  aggregate: {
    fieldsToAggregate: is('aggregate', 'aggregateIndividualFields'),
    destinationFieldName: is('aggregate', 'aggregateAllItemData'),
    include: is('aggregate', 'aggregateAllItemData'),
    fieldsToInclude: all(is('aggregate', 'aggregateAllItemData'), is('include', 'specifiedFields')),
    fieldsToExclude: all(is('aggregate', 'aggregateAllItemData'), is('include', 'allFieldsExcept')),
  },
  sort: { sortFieldsUi: is('type', 'simple'), code: is('type', 'code') },
  'langchain.agent': { text: is('promptType', 'define'), agent: never },
  'langchain.chainLlm': { text: is('promptType', 'define') },
};

export function shows(kind: string, form: Schema, parameters: Record<string, unknown>): (name: string) => boolean {
  const rules = RULES[kind] ?? {};
  const given: Given = (name) => parameters[name] ?? form.properties?.[name]?.default;
  return (name) => rules[name]?.(given) ?? true;
}

/** Values of n8n's resource locators: {__rl, mode, value}. */
export function isLocator(value: unknown): value is { mode: string; value: unknown } {
  return isRecord(value) && value.__rl === true && 'value' in value;
}

export const isExpression = (value: unknown): value is string => typeof value === 'string' && value.startsWith('=');
