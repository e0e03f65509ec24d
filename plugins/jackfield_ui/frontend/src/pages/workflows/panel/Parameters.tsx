import { Alert, Select, Skeleton, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { ApiError, messageOf } from '../../../api/errors';
import { JsonField } from '../../../components/schema/JsonField';
import { SchemaForm } from '../../../components/schema/SchemaForm';
import { labelOf, type Schema } from '../../../components/schema/schema';
import { changeNode, type DocNode, kindOf, parametersOf } from '../model/document';
import { choiceOf, formOf, shows } from '../model/forms';
import { useStore } from '../model/store';
import { useKind } from '../queries';
import { Addresses } from './Addresses';
import { Credentials } from './Credentials';
import { renderField } from './fields';

/** What is seldom needed comes at the end. */
function optionsLast(schema: Schema | undefined): Schema | undefined {
  if (!schema?.properties?.options) return schema;
  const { options, ...others } = schema.properties;
  return { ...schema, properties: { ...others, options } };
}

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
  const kind = kindOf(node.type);
  const { data, error, isPending } = useKind(kind);
  const parameters = parametersOf(node);
  const form = useMemo(() => (data ? formOf(data, node.typeVersion) : undefined), [data, node.typeVersion]);
  const write = (next: Record<string, unknown>) =>
    store.commit((doc) => changeNode(doc, node.name, (one) => ({ ...one, parameters: next })), `form ${node.name}`);

  if (error && !(error instanceof ApiError && error.status === 404)) {
    return <Alert color="red">{messageOf(error)}</Alert>;
  }
  if (isPending) return <Skeleton height={160} />;
  const choice = form && choiceOf(form, parameters);
  const schema = optionsLast(choice?.schema ?? form);
  const left = Object.entries(errors).filter(
    ([path]) => path === '' || !(path.split(/[.[]/)[0] ?? '' in (schema?.properties ?? {})),
  );
  return (
    <Stack gap="md">
      {data && !data.available && <Alert color="yellow">This node cannot run here: {data.missing}</Alert>}
      {!data && (
        <Alert color="yellow">
          The node type {node.type} is not installed. Its parameters are kept as they are; the node fails when it is
          reached.
        </Alert>
      )}
      {data && (
        <Text size="sm" c="dimmed">
          {data.description}
        </Text>
      )}
      <Addresses node={node} />
      <Credentials node={node} editable={editable} />
      {choice?.keys.map((key) => (
        <Select
          key={key}
          label={labelOf(key, {})}
          data={(choice.options[key] ?? []).map((value) => ({ value, label: labelOf(value, {}) }))}
          value={choice.chosen[key] ?? null}
          onChange={(value) => write({ ...parameters, ...choice.chosen, [key]: value })}
          allowDeselect={false}
          searchable
          readOnly={!editable}
        />
      ))}
      {schema?.properties && Object.keys(schema.properties).length > 0 ? (
        <SchemaForm
          key={`${node.name} ${JSON.stringify(choice?.chosen)}`}
          schema={schema}
          value={parameters}
          onChange={(next) => write(choice ? { ...next, ...choice.chosen } : next)}
          errors={errors}
          only={shows(kind, schema, parameters)}
          renderField={renderField}
          readOnly={!editable}
        />
      ) : data && schema?.additionalProperties !== true ? (
        <Text c="dimmed">This node has no parameters.</Text>
      ) : (
        <JsonField
          name="parameters"
          path={[]}
          label="Parameters"
          kind="json"
          schema={{}}
          required={false}
          value={parameters}
          onChange={(next) => write((next ?? {}) as Record<string, unknown>)}
          error={undefined}
        />
      )}
      {left.map(([path, message]) => (
        <Text key={path} size="sm" c="var(--jf-bad)">
          {path ? `${path}: ${message}` : message}
        </Text>
      ))}
    </Stack>
  );
}
