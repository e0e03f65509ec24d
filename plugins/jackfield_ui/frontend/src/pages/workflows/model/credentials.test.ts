import { expect, it } from 'vitest';
import type { CredentialUse, NodeType } from '../queries';
import { usedCredentials } from './credentials';

const known = new Map(['acmeApi', 'acmeOAuth2Api', 'httpBasicAuth', 'other'].map((kind) => [kind, {}]));
const type = (credentials: CredentialUse[]) => ({ credentials }) as NodeType;
const node = (parameters: Record<string, unknown>, more = {}) => ({ name: 'A', type: 'acme', parameters, ...more });
const ACME = type([
  { name: 'acmeApi', required: true, when: { authentication: ['', 'token'] } },
  { name: 'acmeOAuth2Api', required: true, when: { authentication: ['oAuth2'] } },
  { name: 'notStored', required: true },
]);

it('asks for what the parameters choose, and for the usual kind when they choose none', () => {
  const kinds = (parameters: Record<string, unknown>) =>
    usedCredentials(ACME, node(parameters), known).map(({ kind }) => kind);
  expect(kinds({})).toEqual(['acmeApi']);
  expect(kinds({ authentication: 'oAuth2' })).toEqual(['acmeOAuth2Api']);
  expect(kinds({ authentication: '={{ $json.how }}' })).toEqual(['acmeApi', 'acmeOAuth2Api']);
  expect(kinds({ authentication: 'none' })).toEqual([]);
});

it('takes the kind that a parameter names', () => {
  const http = type([
    { name: '', parameter: 'genericAuthType', required: true, when: { authentication: ['genericCredentialType'] } },
  ]);
  const parameters = { authentication: 'genericCredentialType', genericAuthType: 'httpBasicAuth' };
  expect(usedCredentials(http, node(parameters), known)).toEqual([{ kind: 'httpBasicAuth', required: true }]);
  expect(usedCredentials(http, node({ ...parameters, genericAuthType: 'nobody' }), known)).toEqual([]);
});

it('asks for the kind of the version', () => {
  const versions = type([
    { name: 'acmeOAuth2Api', required: true, when: { '@version': ['', '2'] } },
    { name: 'acmeApi', required: true, when: { '@version': ['1'] } },
  ]);
  const kinds = (more: object) => usedCredentials(versions, node({}, more), known).map(({ kind }) => kind);
  expect(kinds({ typeVersion: 1 })).toEqual(['acmeApi']);
  expect(kinds({ typeVersion: 2 })).toEqual(['acmeOAuth2Api']);
  expect(kinds({})).toEqual(['acmeOAuth2Api']);
});

it('keeps what the node has already, of unknown types too', () => {
  const given = node({}, { credentials: { other: { id: '1' }, strange: { name: 'x' } } });
  expect(usedCredentials(undefined, given, known)).toEqual([
    { kind: 'other', required: false },
    { kind: 'strange', required: false },
  ]);
});
