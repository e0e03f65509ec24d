import { ActionIcon, Group, Select, Stack, TextInput, Tooltip } from '@mantine/core';
import { useState } from 'react';
import { type CredentialType, useCredentialTypes, useStoredCredentials } from '../../../components/credentials/kinds';
import { IconPlus } from '../../../icons/drawn';
import { t } from '../../../language/messages';
import { usedCredentials } from '../model/credentials';
import { changeNode, type DocNode, kindOf } from '../model/document';
import { useStore } from '../model/store';
import { useNodeType } from '../queries';
import { NewCredential } from './NewCredential';

/** Which stored credentials the node uses: of the kinds that its type takes with its present parameters. */
export function Credentials({ node, editable }: { node: DocNode; editable: boolean }) {
  return editable ? <Choices node={node} /> : <Named node={node} />;
}

/** Who may not change them may not list them either. */
function Named({ node }: { node: DocNode }) {
  const named = Object.entries(node.credentials ?? {});
  return named.map(([kind, given]) => (
    <TextInput key={kind} label={t('Credential: {kind}', { kind })} value={given?.name ?? given?.id ?? ''} readOnly />
  ));
}

function Choices({ node }: { node: DocNode }) {
  const store = useStore();
  const credentials = useStoredCredentials();
  const kinds = useCredentialTypes();
  const type = useNodeType(kindOf(node.type));
  const [making, setMaking] = useState<CredentialType>();
  const given = node.credentials ?? {};
  const known = kinds.data;
  const wanted = known ? usedCredentials(type.data, node, known) : [];
  if (!known || !wanted.length) return null;
  const choose = (kind: string, chosen: { id: string; name: string } | undefined) => {
    store.commit((doc) =>
      changeNode(doc, node.name, (one) => {
        const { [kind]: _, ...others } = one.credentials ?? {};
        const next = chosen ? { ...others, [kind]: { id: chosen.id, name: chosen.name } } : others;
        return { ...one, credentials: next };
      }),
    );
  };
  return (
    <Stack gap="sm">
      {wanted.map(({ kind, required }) => {
        const present = given[kind];
        const options = (credentials.data ?? []).filter((one) => one.kind === kind);
        const found = options.find(({ id, name }) => id === present?.id || (!present?.id && name === present?.name));
        const title = known.get(kind)?.title ?? kind;
        return (
          <Group key={kind} gap="xs" align="flex-end" wrap="nowrap">
            <Select
              flex={1}
              label={t('Credential: {title}', { title })}
              withAsterisk={required}
              description={
                present && !found && credentials.data
                  ? t('“{name}” is not stored here: choose one, or create it.', { name: present.name ?? present.id })
                  : undefined
              }
              data={options.map(({ id, name }) => ({ value: id, label: name }))}
              value={found?.id ?? null}
              onChange={(id) =>
                choose(
                  kind,
                  options.find((one) => one.id === id),
                )
              }
              placeholder={options.length ? t('None') : t('None is stored yet')}
              clearable
              clearButtonProps={{ 'aria-label': t('Use none') }}
              error={credentials.error ? t('You have no right to read credentials.') : undefined}
            />
            {!credentials.error && known.has(kind) && (
              <Tooltip label={t('New credential')}>
                <ActionIcon
                  variant="default"
                  size="input-sm"
                  aria-label={t('New credential: {title}', { title })}
                  onClick={() => setMaking(known.get(kind))}
                >
                  <IconPlus size={16} />
                </ActionIcon>
              </Tooltip>
            )}
          </Group>
        );
      })}
      {making && (
        <NewCredential
          kind={making}
          onMade={(made) => choose(making.kind, made)}
          onClose={() => setMaking(undefined)}
        />
      )}
    </Stack>
  );
}
