import { createSpotlight, Spotlight } from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import { api, body, data, segment } from '../api/client';
import { IconArrowRight, IconBolt, IconSearch } from '../icons/drawn';
import type { Icon } from '../icons/icon';
import { t } from '../language/messages';
import { type Area, areaPath } from './areas';
import { useOfferedAreas } from './offered';
import { PAGES, SHOWN_AREAS } from './pages';
import { ranked } from './ranking';
import { recent, remember } from './recent';
import { useMay } from './session';

interface Entry {
  id: string;
  label: string;
  words: string;
  note?: string;
  icon: Icon;
  to: string;
}

const [store, { open }] = createSpotlight();

/** Pages, actions, and everything that has a name. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [query, setQuery] = useState('');
  const [member, admin] = [useMay('member'), useMay('admin')];
  const areas = useOfferedAreas();
  const things = useThings(areas);
  const entries = useMemo(() => [...pages(areas), ...actions(areas, { member, admin })], [areas, member, admin]);
  useEffect(open, []);

  const [before] = useState(recent);
  const all = [...entries, ...things];
  const latest = query ? [] : before.flatMap((id) => all.find((one) => one.id === id) ?? []).slice(0, 5);
  const pagesAndActions = query ? [] : entries.filter((one) => !latest.includes(one));
  const found = query ? ranked(query, all, before, 20) : [];
  const choose = (id: string, to: string) => {
    remember(id);
    void navigate(to);
  };
  const list = (label: string, some: readonly Entry[]) =>
    some.length > 0 && (
      <Spotlight.ActionsGroup label={label}>
        {some.map(({ id, label: name, note, icon: Icon, to }) => (
          <Spotlight.Action
            key={id}
            label={name}
            description={note}
            leftSection={<Icon size={18} stroke={1.7} aria-hidden="true" />}
            onClick={() => choose(id, to)}
          />
        ))}
      </Spotlight.ActionsGroup>
    );

  return (
    <Spotlight.Root
      store={store}
      query={query}
      onQueryChange={setQuery}
      onSpotlightClose={onClose}
      shortcut={null}
      centered={false}
      yOffset="12dvh"
      overlayProps={{ backgroundOpacity: 0.4, blur: 2 }}
      attributes={{ content: { 'aria-label': t('Search and commands') } }}
      maxHeight={420}
      scrollable
    >
      <Spotlight.Search
        placeholder={t('Search pages, workflows, profiles, sessions')}
        aria-label={t('Search')}
        leftSection={<IconSearch size={18} />}
      />
      <Spotlight.ActionsList>
        {list(t('Recent'), latest)}
        {list(t('Pages and actions'), pagesAndActions)}
        {list(t('Found'), found)}
        {query !== '' && found.length === 0 && (
          <Spotlight.Empty>{t('Nothing has this name. Try fewer letters.')}</Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

function pages(areas: readonly Area[]): Entry[] {
  return areas.map(({ id, label, icon }) => ({ id, label, words: label, icon, to: areaPath(id) }));
}

/** What the user may do, on the pages that are offered. */
function actions(areas: readonly Area[], may: Record<'member' | 'admin', boolean>): Entry[] {
  const offered = PAGES.filter(({ area }) => areas.some(({ id }) => id === area));
  return offered.flatMap(({ area, actions: some = [] }) =>
    some
      .filter(({ role }) => !role || may[role])
      .map(({ label, keywords = '', to }) => ({
        id: `${area} ${label}`,
        label,
        words: `${label} ${keywords}`,
        icon: IconBolt,
        to,
      })),
  );
}

/** What has a name. An area that cannot be read (a role, a plugin that is off) is left out. */
function useThings(areas: readonly Area[]): Entry[] {
  const options = { staleTime: 30_000, retry: false };
  const offered = (area: string) => areas.some(({ id }) => id === area);
  const workflows = useQuery({
    ...options,
    queryKey: ['palette', 'workflows'],
    queryFn: () => body(api.GET('/api/v1/workflows', { params: { query: { limit: 100 } } })),
    enabled: offered('workflows'),
  });
  const profiles = useQuery({
    ...options,
    queryKey: ['palette', 'profiles'],
    queryFn: () => data(api.GET('/api/profiles')),
    enabled: offered('profiles'),
  });
  const sessions = useQuery({
    ...options,
    queryKey: ['palette', 'sessions'],
    queryFn: () => data(api.GET('/api/terminal/sessions')),
    enabled: offered('terminals'),
  });
  return [
    ...(workflows.data?.data ?? []).map(({ id, name }) => thing('workflows', id, name, t('Workflow'))),
    ...(profiles.data ?? []).map(({ alias, agent_id }) =>
      thing('profiles', alias, alias, t('Profile of {agentId}', { agentId: agent_id })),
    ),
    ...(sessions.data ?? []).map(({ id, profile_alias, state }) =>
      thing('terminals', id, profile_alias ?? t('Shell'), t('Terminal session, {state}', { state })),
    ),
  ];
}

function thing(area: string, id: string, label: string, note: string): Entry {
  const icon = SHOWN_AREAS.find((one) => one.id === area)?.icon ?? IconArrowRight;
  return { id: `${area}/${id}`, label, words: `${label} ${note}`, note, icon, to: `${areaPath(area)}/${segment(id)}` };
}
