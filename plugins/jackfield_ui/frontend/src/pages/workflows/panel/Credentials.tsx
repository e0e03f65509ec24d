import { Anchor, Group, Select, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { areaPath } from '../../../app/areas';
import { hasArea } from '../../../app/pages';
import { changeNode, type DocNode, kindOf, parametersOf } from '../model/document';
import { useStore } from '../model/store';
import { useCredentialKinds, useCredentials } from '../queries';

/** Which stored credentials the node uses: of the kinds that it names, and those that go by its name. */
export function Credentials({ node, editable }: { node: DocNode; editable: boolean }) {
  const store = useStore();
  const credentials = useCredentials();
  const kinds = useCredentialKinds();
  const given = node.credentials ?? {};
  const wanted = wantedKinds(node, kinds.data?.map(({ kind }) => kind) ?? []);
  if (!wanted.length) return null;
  const titles = new Map(kinds.data?.map(({ kind, title }) => [kind, title]));
  const choose = (kind: string, id: string | null) => {
    const chosen = credentials.data?.find((one) => one.id === id);
    const { [kind]: _, ...others } = given;
    const next = chosen ? { ...others, [kind]: { id: chosen.id, name: chosen.name } } : others;
    store.commit((doc) => changeNode(doc, node.name, (one) => ({ ...one, credentials: next })));
  };
  return (
    <Stack gap="sm">
      {wanted.map((kind) => {
        const present = given[kind];
        const options = (credentials.data ?? []).filter((one) => one.kind === kind);
        const known = options.find(({ id, name }) => id === present?.id || (!present?.id && name === present?.name));
        return (
          <Select
            key={kind}
            label={`Credential: ${titles.get(kind) ?? kind}`}
            description={
              present && !known && credentials.data
                ? `“${present.name ?? present.id}” is not stored here: choose one, or make it.`
                : undefined
            }
            data={options.map(({ id, name }) => ({ value: id, label: name }))}
            value={known?.id ?? null}
            onChange={(id) => choose(kind, id)}
            placeholder={options.length ? 'None' : 'None is stored yet'}
            clearable
            clearButtonProps={{ 'aria-label': 'Use none' }}
            readOnly={!editable}
            error={credentials.error ? 'Credentials cannot be read with your rights.' : undefined}
          />
        );
      })}
      {hasArea('settings') && (
        <Group>
          <Text size="xs" c="dimmed">
            New ones are made in{' '}
            <Anchor component={Link} to={areaPath('settings')} inherit>
              settings
            </Anchor>
            .
          </Text>
        </Group>
      )}
    </Stack>
  );
}

function wantedKinds(node: DocNode, known: readonly string[]): string[] {
  const kind = kindOf(node.type).replace(/^langchain\.(lmChat|lm|embeddings|vectorStore|memory|tool)?/, '');
  const stem = kind.replace(/(Trigger|Tool)$/, '').toLowerCase();
  const parameters = parametersOf(node);
  const { authentication, genericAuthType, nodeCredentialType } = parameters;
  const named = [genericAuthType, nodeCredentialType].filter(
    (one): one is string => typeof one === 'string' && known.includes(one) && authentication !== 'none',
  );
  const alike = stem.length > 2 ? known.filter((one) => one.toLowerCase().startsWith(stem)) : [];
  const webhook = kindOf(node.type) === 'webhook' && typeof authentication === 'string' && authentication !== 'none';
  const forWebhook = webhook ? [WEBHOOK[String(authentication)] ?? ''].filter(Boolean) : [];
  const own = Object.keys(node.credentials ?? {});
  // Of several kinds for one service the first is offered until another is chosen.
  const one = own.length ? [] : alike.slice(0, 3);
  return [...new Set([...own, ...named, ...forWebhook, ...one])];
}

const WEBHOOK: Record<string, string> = {
  headerAuth: 'httpHeaderAuth',
  basicAuth: 'httpBasicAuth',
  jwtAuth: 'jwtAuth',
  hmac: 'hmacAuth',
};
