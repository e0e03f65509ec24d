import { expect, it } from 'vitest';
import type { Placement } from '../../components/projects/queries';
import { aliasesOf, placeOf } from './project';

const SESSIONS = [
  { id: '1', profile_alias: 'coder', project_id: null },
  { id: '2', profile_alias: null, project_id: 'pottery' },
  { id: '3', profile_alias: 'coder', project_id: null },
  { id: '4', profile_alias: null },
];
const PLACED: Placement = { kind: 'profile', id: 'coder', projectId: 'kilns', sharedWith: ['pottery'] };

it('has agents where their profile is now, and shells where they were started', () => {
  const places = SESSIONS.map(({ id }) => placeOf(SESSIONS, id, (alias) => (alias === 'coder' ? PLACED : undefined)));
  expect(places.map((place) => place?.projectId)).toEqual(['kilns', 'pottery', 'kilns', undefined]);
  expect(aliasesOf(SESSIONS)).toEqual(['coder']);
});
