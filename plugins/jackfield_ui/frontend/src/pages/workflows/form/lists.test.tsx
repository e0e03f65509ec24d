// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import type { NodeField } from './model';
import { choose, prepare, shown } from './testing';

vi.mock('../../../components/CodeEditor', () => import('./PlainEditor'));
prepare();

const place = { kind: 'slack', credential: 'cred-1', needsCredential: true };
const channel: NodeField = {
  name: 'channel',
  control: 'locator',
  label: 'Channel',
  load: { name: 'channels', dependsOn: ['team'] },
  options: { modes: ['list', 'id'] },
};
const team: NodeField = { name: 'team', control: 'text', label: 'Team', default: 'T1' };

/** Answers in turn, and remembers what was asked. */
function daemon(...answers: Response[]): URL[] {
  const asked: URL[] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    asked.push(new URL(request.url));
    return answers.shift() ?? Response.json({ data: [] });
  });
  return asked;
}

const listed = (...names: string[]) =>
  Response.json({ data: names.map((label) => ({ value: `id-${label}`, label })), nextCursor: null });

it('asks when it is opened, through the credential, with what it depends on', async () => {
  const asked = daemon(listed('general', 'random'));
  const form = shown([channel, team], {}, { lists: place, version: 2 });
  expect(asked).toEqual([]);
  await choose(form.user, 'Channel', 'random');
  expect(form.value()).toEqual({
    channel: { __rl: true, mode: 'list', value: 'id-random', cachedResultName: 'random' },
  });
  expect(asked.map(({ pathname }) => pathname)).toEqual(['/api/v1/node-types/slack/lists/channels']);
  expect(Object.fromEntries(asked[0]?.searchParams ?? [])).toEqual({
    credential: 'cred-1',
    version: '2',
    values: '{"team":"T1"}',
  });
});

it.each(['locator', 'select'] as const)(
  'keeps the type of what is chosen: a %s of numbers has a number',
  async (control) => {
    daemon(Response.json({ data: [{ value: 42, label: 'Answers' }], nextCursor: null }));
    const form = shown([{ ...channel, control }, team], {}, { lists: place });
    await choose(form.user, 'Channel', 'Answers');
    const given = form.value().channel;
    expect(control === 'locator' ? (given as { value: unknown }).value : given).toBe(42);
  },
);

it('asks again when what it depends on is another', async () => {
  const asked = daemon(listed('general'), listed('other'));
  const form = shown([channel, team], {}, { lists: place });
  await form.user.click(screen.getByRole('combobox', { name: 'Channel' }));
  await screen.findByRole('option', { name: 'general' });
  await form.user.type(screen.getByLabelText('Team'), '2');
  await form.user.click(screen.getByRole('combobox', { name: 'Channel' }));
  await screen.findByRole('option', { name: 'other' });
  expect(asked.at(-1)?.searchParams.get('values')).toBe('{"team":"T12"}');
});

it('says what it needs first, and takes an id that somebody types', async () => {
  const asked = daemon();
  const form = shown([channel, team], {}, { lists: { ...place, credential: undefined } });
  expect(screen.getByRole('status').textContent).toContain('Choose a credential');
  await form.user.type(screen.getByRole('combobox', { name: 'Channel' }), 'C042');
  await form.user.tab();
  expect(form.value()).toEqual({ channel: { __rl: true, mode: 'list', value: 'C042' } });
  expect(asked).toEqual([]);
});

it('says which field it needs, and does not ask with an expression', () => {
  shown([channel, team], { team: '' }, { lists: place });
  expect(screen.getByRole('status').textContent).toContain('Fill in “Team”');
  shown([channel, team], { team: '={{ $json.team }}' }, { lists: place });
  expect(screen.getAllByRole('status')[1]?.textContent).toContain('“Team” is an expression');
});

it('shows why the service refused, and tries again', async () => {
  daemon(
    Response.json({ error: 'Bad Gateway', code: 'UPSTREAM', message: 'missing_scope: channels:read' }, { status: 502 }),
    listed('general'),
  );
  const form = shown([channel, team], {}, { lists: place });
  await form.user.click(screen.getByRole('combobox', { name: 'Channel' }));
  await waitFor(() => expect(screen.getByRole('status').textContent).toContain('missing_scope'));
  await form.user.click(screen.getByRole('button', { name: 'Try again' }));
  await choose(form.user, 'Channel', 'general');
  expect(form.value().channel).toMatchObject({ value: 'id-general' });
});

it('says that the list is empty', async () => {
  daemon(listed());
  const form = shown([channel, team], {}, { lists: place });
  await form.user.click(screen.getByRole('combobox', { name: 'Channel' }));
  await waitFor(() => expect(screen.getByRole('status').textContent).toContain('The list is empty.'));
});

it('lets the service search, and reads on', async () => {
  const asked = daemon(
    Response.json({ data: [{ value: 'a', label: 'Alpha' }], nextCursor: 'p2' }),
    Response.json({ data: [{ value: 'b', label: 'Beta' }] }),
  );
  const form = shown([{ ...channel, load: { name: 'channels', searchable: true } }], {}, { lists: place });
  await form.user.type(screen.getByRole('combobox', { name: 'Channel' }), 'a');
  await waitFor(() => expect(asked.some(({ searchParams }) => searchParams.get('search') === 'a')).toBe(true));
  await screen.findByRole('option', { name: /Alpha|Beta/ });
});

it('shows the name that the document knows without asking', () => {
  const asked = daemon();
  const value = { __rl: true, mode: 'list', value: 'C1', cachedResultName: 'general' };
  shown([channel, team], { channel: value }, { lists: place });
  expect(screen.getByDisplayValue('general')).toBeTruthy();
  expect(asked).toEqual([]);
});

it('select and multiselect load, too', async () => {
  daemon(listed('one', 'two'), listed('one', 'two'));
  const load = { name: 'labels' };
  const form = shown(
    [
      { name: 'a', control: 'select', label: 'A', load },
      { name: 'b', control: 'multiselect', label: 'B', load },
    ],
    { b: ['id-one', 'kept'] },
    { lists: place },
  );
  await choose(form.user, 'A', 'two');
  await choose(form.user, 'B', 'two');
  expect(form.value()).toEqual({ a: 'id-two', b: ['id-one', 'kept', 'id-two'] });
});

it('picks a stored workflow', async () => {
  const asked = daemon(Response.json({ data: [{ id: '7', name: 'Glaze' }], total: 1 }));
  const form = shown([{ name: 'workflowId', control: 'workflow', label: 'Workflow' }]);
  await choose(form.user, 'Workflow', 'Glaze');
  expect(form.value()).toEqual({ workflowId: { __rl: true, mode: 'list', value: '7', cachedResultName: 'Glaze' } });
  expect(asked[0]?.pathname).toBe('/api/v1/workflows');
});

it('names a kind of credential', async () => {
  daemon(Response.json({ data: [{ kind: 'slackApi', title: 'Slack', fields: [] }], total: 1 }));
  const form = shown([{ name: 'nodeCredentialType', control: 'credential', label: 'Credential type' }]);
  await screen.findByRole('combobox');
  await waitFor(async () => {
    await choose(form.user, 'Credential type', 'Slack');
  });
  expect(form.value()).toEqual({ nodeCredentialType: 'slackApi' });
});
