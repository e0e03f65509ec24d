import { Alert, Skeleton, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { ApiError, messageOf } from '../../../api/errors';
import { t } from '../../../language/messages';
import { NO_LISTS } from '../form/context';
import { JsonControl } from '../form/controls/JsonControl';
import type { Values } from '../form/model';
import { NodeFormView, type NodeFormViewProps } from '../form/NodeFormView';
import { changeNode, type DocNode, kindOf, parametersOf } from '../model/document';
import { useStore } from '../model/store';
import { useNodeType } from '../queries';
import { Addresses } from './Addresses';
import { Credentials } from './Credentials';
import { TriggerStanding } from './TriggerStanding';
import { useListPlace } from './useListPlace';

/** The node's form, of its version; what an unknown type holds is shown as it is written. */
export function Parameters({
  node,
  errors,
  editable,
}: {
  node: DocNode;
  errors: Readonly<Record<string, string>>;
  editable: boolean;
}) {
  const store = useStore();
  const { data, error, isPending } = useNodeType(kindOf(node.type));
  const parameters = useMemo(() => parametersOf(node), [node]);
  const write = (next: Values) =>
    store.commit((doc) => changeNode(doc, node.name, (one) => ({ ...one, parameters: next })), `form ${node.name}`);

  if (error && !(error instanceof ApiError && error.status === 404)) {
    return <Alert color="red">{messageOf(error)}</Alert>;
  }
  if (isPending) return <Skeleton height={160} />;
  const Form = editable ? WithLists : WithoutLists;
  return (
    <Stack gap="md">
      {data && !data.available && (
        <Alert color="yellow">{t('This node cannot run here: {missing}', { missing: data.missing })}</Alert>
      )}
      {!data && (
        <Alert color="yellow">
          {t(
            'The node type {type} is not installed. Its parameters are kept as they are; the node fails when it is reached.',
            { type: node.type },
          )}
        </Alert>
      )}
      {data && (
        <Text size="sm" c="dimmed">
          {data.description}
        </Text>
      )}
      <Addresses node={node} />
      {data?.trigger && <TriggerStanding node={node} />}
      <Credentials node={node} editable={editable} />
      {data ? (
        <Form
          node={node}
          forms={data.forms}
          documentVersion={node.typeVersion}
          value={parameters}
          onChange={write}
          errors={errors}
          editable={editable}
        />
      ) : (
        <JsonControl
          field={{ name: 'parameters', control: 'json', label: t('Parameters') }}
          path={[]}
          value={parameters}
          onChange={(next) => write((next ?? {}) as Values)}
          error={undefined}
        />
      )}
    </Stack>
  );
}

type FormProps = Omit<NodeFormViewProps, 'lists'> & { node: DocNode };

function WithLists({ node, ...props }: FormProps) {
  return <NodeFormView {...props} lists={useListPlace(node)} />;
}

/** Who may not change the node may not ask for its credentials. */
function WithoutLists({ node: _, ...props }: FormProps) {
  return <NodeFormView {...props} lists={NO_LISTS} />;
}
