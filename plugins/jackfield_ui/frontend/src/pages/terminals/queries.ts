import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, data, segment } from '../../api/client';
import { ApiError } from '../../api/errors';
import type { Profile, Schemas, TerminalSession } from '../../api/types';
import { useInvalidate } from '../../api/useEvents';
import { notifyError } from '../../components/notify';
import { t } from '../../language/messages';

const SESSIONS = '/api/terminal/sessions';
const ONE = '/api/terminal/sessions/{session_id}';
const SHELL = '/api/terminal/shell';

export const RECORDING = '/api/terminal/sessions/{session_id}/recording';
export const recordingPath = (id: string) => RECORDING.replace('{session_id}', segment(id));

/** Of one session. */
export const ofSession = (id: string) => ({ params: { path: { session_id: id } } });

/** Without a profile it is a plain shell. */
export interface NewSessionBody {
  profile_alias?: string;
  sandbox?: Schemas['ProfileDetail']['sandbox'];
  args?: string[];
  cols?: number;
  rows?: number;
  working_dir?: string;
  record?: boolean;
  persist?: boolean | 'where_possible';
}

/** As lists call a session; a plain shell has no profile. */
export function sessionName({ profile_alias }: Pick<TerminalSession, 'profile_alias'>): string {
  return profile_alias ?? t('Shell');
}

export function useSessions() {
  useInvalidate('terminal', [['sessions']]);
  return useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => data(api.GET(SESSIONS, { signal })),
    // Sizes, clients and recordings change without an event.
    refetchInterval: 5_000,
  });
}

export function useProfiles() {
  useInvalidate('profiles', [['profiles']]);
  return useQuery({
    queryKey: ['profiles'],
    queryFn: ({ signal }): Promise<Profile[]> => data(api.GET('/api/profiles', { signal })),
  });
}

export function useProfile(alias: string | null) {
  return useQuery({
    queryKey: ['profiles', 'one', alias],
    queryFn: ({ signal }) =>
      data(api.GET('/api/profiles/{alias}', { params: { path: { alias: alias ?? '' } }, signal })),
    enabled: Boolean(alias),
    placeholderData: undefined,
  });
}

function begin({ profile_alias, ...body }: NewSessionBody) {
  return data(profile_alias ? api.POST(SESSIONS, { body: { profile_alias, ...body } }) : api.POST(SHELL, { body }));
}

export function useStart() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: NewSessionBody) => {
      const started = await begin(body);
      remember(started.session_id, body);
      return started.session_id;
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['sessions'] }),
  });
}

/** A change of one session, of the kind that only says that it was done. */
export function useSessionAction<Input = void>(act: (id: string, input: Input) => Promise<unknown>, id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => act(id, input),
    onSettled: () => client.invalidateQueries({ queryKey: ['sessions'] }),
    onError: (error) => notifyError(error),
  });
}

export const endSession = (id: string) => api.DELETE(ONE, ofSession(id));
export const startRecording = (id: string) => api.POST('/api/terminal/sessions/{session_id}/record', ofSession(id));
export const stopRecording = (id: string) => api.DELETE('/api/terminal/sessions/{session_id}/record', ofSession(id));

/** What became of a session whose connection is lost: asking also renews the browser's session. */
export async function isThere(id: string): Promise<boolean> {
  try {
    await api.GET(ONE, ofSession(id));
    return true;
  } catch (error) {
    return !(error instanceof ApiError && error.status === 404);
  }
}

/** What starts a session of the same profile; a shell when there is none. */
export function ofProfile({ profile_alias }: { profile_alias?: string | null }): NewSessionBody {
  return profile_alias ? { profile_alias } : {};
}

const KEY = 'jackfield.terminals.started';
const REMEMBERED = 50;

/** How a session was started here, so that it can be started again in the same way. */
export function startedWith(id: string): NewSessionBody | undefined {
  return remembered().find(([known]) => known === id)?.[1];
}

function remember(id: string, body: NewSessionBody): void {
  sessionStorage.setItem(KEY, JSON.stringify([[id, body], ...remembered()].slice(0, REMEMBERED)));
}

function remembered(): [string, NewSessionBody][] {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}
