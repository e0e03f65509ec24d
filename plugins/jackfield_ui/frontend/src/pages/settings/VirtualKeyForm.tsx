import { MultiSelect, NumberInput, SimpleGrid, Stack, TagsInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, data } from '../../api/client';
import { ApiError } from '../../api/errors';
import type { Schemas } from '../../api/types';
import { Expiry, momentOf, USUAL_END } from './Expiry';
import { Buttons, Unexplained } from './FormParts';

type NewBody = Schemas['NewKeyBody'];
type Amount = string | number;

const LIMITS = [
  ['usd', 'US dollars a month', 2],
  ['requests', 'Requests a minute', 0],
  ['tokens', 'Tokens a minute', 0],
  ['parallel', 'Requests in flight', 0],
] as const;
const NAMES = {
  usd: 'budgets.month.usd',
  requests: 'requests_per_minute',
  tokens: 'tokens_per_minute',
  parallel: 'parallel_requests',
};

/** The limits that most keys need; `jackfield key` has all of them. */
export function VirtualKeyForm({
  error,
  busy,
  onSubmit,
  onClose,
}: {
  error: unknown;
  busy: boolean;
  onSubmit: (key: NewBody) => void;
  onClose: () => void;
}) {
  const [label, setLabel] = useState('');
  const [owner, setOwner] = useState('');
  const [ends, setEnds] = useState(USUAL_END);
  const [models, setModels] = useState<string[]>([]);
  const [profiles, setProfiles] = useState<string[]>([]);
  const [limits, setLimits] = useState<Record<string, Amount>>({});
  const known = useQuery({ queryKey: ['profiles', 'aliases'], queryFn: () => data(api.GET('/api/profiles')) });
  const fields = error instanceof ApiError ? error.fields : {};
  const limit = (name: string) => (limits[name] === undefined || limits[name] === '' ? null : Number(limits[name]));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const usd = limit('usd');
    onSubmit({
      label,
      owner,
      models,
      profiles: profiles.length ? profiles : null,
      requests_per_minute: limit('requests'),
      tokens_per_minute: limit('tokens'),
      parallel_requests: limit('parallel'),
      budgets: usd === null ? null : { month: { usd } },
      expires_at: momentOf(ends) ?? null,
    });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Unexplained error={error} />
        <TextInput
          label="Label"
          description="The program or person that will use it"
          required
          maxLength={200}
          data-autofocus
          error={fields.label}
          value={label}
          onChange={(event) => setLabel(event.currentTarget.value)}
        />
        <TextInput
          label="Owner"
          maxLength={200}
          error={fields.owner}
          value={owner}
          onChange={(event) => setOwner(event.currentTarget.value)}
        />
        <Expiry value={ends} error={fields.expires_at} onChange={setEnds} />
        <TagsInput
          label="Models"
          description="Names or patterns such as claude-*. Without any, all models."
          error={fields.models}
          value={models}
          onChange={setModels}
        />
        <MultiSelect
          label="Profiles"
          description="Without any, the proxies of all profiles."
          data={(known.data ?? []).map(({ alias }) => alias)}
          error={fields.profiles}
          value={profiles}
          onChange={setProfiles}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
          {LIMITS.map(([name, words, decimals]) => (
            <NumberInput
              key={name}
              label={words}
              placeholder="no limit"
              min={0}
              decimalScale={decimals}
              thousandSeparator=","
              value={limits[name] ?? ''}
              error={fields[NAMES[name]]}
              onChange={(value) => setLimits({ ...limits, [name]: value })}
            />
          ))}
        </SimpleGrid>
        <Buttons action="Create the key" busy={busy} onClose={onClose} />
      </Stack>
    </form>
  );
}
