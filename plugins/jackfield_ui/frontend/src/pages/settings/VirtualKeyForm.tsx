import { MultiSelect, SimpleGrid, Stack, TagsInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, data } from '../../api/client';
import type { Schemas } from '../../api/types';
import { NumberField } from '../../components/numbers/NumberField';
import { useSending } from '../../components/useSending';
import { t } from '../../language/messages';
import { Expiry, momentOf, USUAL_END } from './Expiry';
import { Buttons, Unexplained } from './FormParts';

type NewBody = Schemas['NewKeyBody'];
type Made = Schemas['NewVirtualKeyShown'];
type Amount = string | number;

const LIMITS = [
  ['usd', t('US dollars a month'), 2],
  ['requests', t('Requests a minute'), 0],
  ['tokens', t('Tokens a minute'), 0],
  ['parallel', t('Requests in flight'), 0],
] as const;
const NAMES = {
  usd: 'budgets.month.usd',
  requests: 'requests_per_minute',
  tokens: 'tokens_per_minute',
  parallel: 'parallel_requests',
};

const NO_LIMIT: Amount = '';
const EMPTY = {
  label: '',
  owner: '',
  ends: USUAL_END,
  models: [] as string[],
  profiles: [] as string[],
  limits: { usd: NO_LIMIT, requests: NO_LIMIT, tokens: NO_LIMIT, parallel: NO_LIMIT },
};

function bodyOf({ label, owner, ends, models, profiles, limits }: typeof EMPTY): NewBody {
  const limit = (name: keyof typeof limits) => (limits[name] === '' ? null : Number(limits[name]));
  const usd = limit('usd');
  return {
    label,
    owner,
    models,
    profiles: profiles.length ? profiles : null,
    requests_per_minute: limit('requests'),
    tokens_per_minute: limit('tokens'),
    parallel_requests: limit('parallel'),
    budgets: usd === null ? null : { month: { usd } },
    expires_at: momentOf(ends) ?? null,
  };
}

/** The limits that most keys need; `jackfield key` has all of them. */
export function VirtualKeyForm({
  send,
  onMade,
  onClose,
}: {
  send: (key: NewBody) => Promise<Made>;
  onMade: (made: Made) => void;
  onClose: () => void;
}) {
  const known = useQuery({ queryKey: ['profiles', 'aliases'], queryFn: () => data(api.GET('/api/profiles')) });
  const { form, error, busy, submit } = useSending({
    initial: EMPTY,
    send: (values) => send(bodyOf(values)),
    onSent: onMade,
    namedAs: { expires_at: 'ends', ...Object.fromEntries(LIMITS.map(([name]) => [NAMES[name], `limits.${name}`])) },
  });
  return (
    <form onSubmit={submit}>
      <Stack>
        <Unexplained error={error} />
        <TextInput
          label={t('Label')}
          description={t('The program or person that will use it')}
          required
          maxLength={200}
          data-autofocus
          {...form.getInputProps('label')}
        />
        <TextInput label={t('Owner')} maxLength={200} {...form.getInputProps('owner')} />
        <Expiry {...form.getInputProps('ends')} />
        <TagsInput
          label={t('Models')}
          description={t('Names or patterns, such as claude-*. Empty: all models.')}
          {...form.getInputProps('models')}
        />
        <MultiSelect
          label={t('Profiles')}
          description={t('Without any, the proxies of all profiles.')}
          data={(known.data ?? []).map(({ alias }) => alias)}
          {...form.getInputProps('profiles')}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
          {LIMITS.map(([name, words, decimals]) => (
            <NumberField
              key={name}
              label={words}
              placeholder={t('no limit')}
              min={0}
              decimals={decimals}
              {...form.getInputProps(`limits.${name}`)}
            />
          ))}
        </SimpleGrid>
        <Buttons action={t('Create the key')} busy={busy} onClose={onClose} />
      </Stack>
    </form>
  );
}
