import { MultiSelect } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, body } from '../../api/client';
import { useMay } from '../../app/session';
import { t } from '../../language/messages';
import { named, type Placed, PlacingDialog } from './PlacingDialog';
import { projectName } from './ProjectBadge';
import { ofProject, type Placement, share, unshare } from './queries';
import { useBelonging } from './rights';

/** Asks for the projects that may use things, beside the one that they belong to. */
export default function ShareDialog(placed: Placed) {
  const { kind, things } = placed;
  const belonging = useBelonging(
    kind,
    things.map(({ id }) => id),
  );
  const places = things.flatMap(({ id }) => belonging.place(id) ?? []);
  const before = common(places);
  const [picked, setPicked] = useState<string[]>();
  const chosen = picked ?? before;
  const owners = new Set(places.map(({ projectId }) => projectId));
  const people = usePeople([...owners]);
  const own = new Set(belonging.projects.filter((one) => one.kind === 'personal').map(({ id }) => id));
  const teams = belonging.projects.filter((one) => one.kind === 'team');
  const fits = ({ value }: { value: string }) => !(owners.size === 1 && owners.has(value));
  const known = [
    { group: t('Projects'), items: teams.map(({ id, name }) => ({ value: id, label: name })).filter(fits) },
    { group: t('People'), items: people.filter(fits).filter(({ value }) => !own.has(value)) },
  ];
  const offered = new Set(known.flatMap(({ items }) => items.map(({ value }) => value)));
  const others = before
    .filter((id) => !offered.has(id))
    .map((id) => ({ value: id, label: projectName(belonging, id) }));
  const run = async (id: string) => {
    const present = belonging.place(id)?.sharedWith ?? [];
    const owner = belonging.place(id)?.projectId;
    const added = chosen.filter((project) => !present.includes(project) && project !== owner);
    const removed = before.filter((project) => !chosen.includes(project));
    for (const project of added) await share(kind, id, project);
    for (const project of removed) await unshare(kind, id, project);
  };
  const changed = chosen.length !== before.length || chosen.some((id) => !before.includes(id));
  return (
    <PlacingDialog
      {...placed}
      title={t('Share {named}', { named: named(kind, things) })}
      action={t('Share')}
      done={(shared) => t('Sharing changed: {shared}.', { shared })}
      notDone={(kept) => t('Sharing not changed: {kept}', { kept })}
      ready={changed && places.length === things.length}
      run={run}
    >
      <MultiSelect
        label={t('Shared with')}
        description={t('Their editors may use it, but cannot change it.')}
        placeholder={chosen.length ? '' : t('Choose projects or people')}
        data={[...known, { group: t('Others'), items: others }].filter(({ items }) => items.length > 0)}
        value={chosen}
        onChange={setPicked}
        searchable
        clearable
        data-autofocus
      />
    </PlacingDialog>
  );
}

/** The projects with which all of them are shared. */
function common(places: readonly Placement[]): string[] {
  const [first, ...others] = places;
  return [...(first?.sharedWith ?? [])].filter((id) => others.every(({ sharedWith }) => sharedWith.includes(id)));
}

/** For administrators all users; for others the members of the things' projects. Each stands for their own project. */
function usePeople(projects: readonly string[]) {
  const admin = useMay('admin');
  const users = useQuery({
    queryKey: ['users', 'people'],
    queryFn: ({ signal }) => body(api.GET('/api/v1/users', { params: { query: { limit: 100 } }, signal })),
    enabled: admin,
  });
  const members = useQueries({
    queries: projects.map((id) => ({
      queryKey: ['projects', id, 'members'],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        body(api.GET('/api/v1/projects/{project_id}/members', { ...ofProject(id), signal })),
      enabled: !admin,
    })),
  });
  const found = admin
    ? (users.data?.data ?? []).map(({ id, username }) => ({ value: id, label: username }))
    : members.flatMap(({ data }) => data?.data ?? []).map((one) => ({ value: one.userId, label: one.username }));
  return [...new Map(found.map((one) => [one.value, one])).values()];
}
