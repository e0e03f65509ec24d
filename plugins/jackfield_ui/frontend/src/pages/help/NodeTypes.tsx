import { Anchor, Skeleton, Stack, Switch, TextInput, Title, Text as Words } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { messageOf } from '../../api/errors';
import { t } from '../../language/messages';
import { nodePage } from '../workflows/model/help';
import { GROUPS } from '../workflows/model/kinds';
import { useNodeTypes } from '../workflows/queries';

/** All node types by group, each with a link to its page. */
export function NodeTypes() {
  const { data, error } = useNodeTypes();
  const [text, setText] = useState('');
  const [every, setEvery] = useState(false);
  if (error) return <Words c="red">{messageOf(error)}</Words>;
  if (!data) return <Skeleton height={320} />;
  const wanted = text.trim().toLowerCase();
  const found = [...data.values()]
    .filter((one) => every || one.available)
    .filter((one) => `${one.displayName} ${one.kind} ${one.description}`.toLowerCase().includes(wanted))
    .sort((one, other) => one.displayName.localeCompare(other.displayName));
  return (
    <Stack gap="sm">
      <TextInput
        label={t('Search node types')}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        autoFocus
      />
      <Switch
        size="xs"
        label={t('Show nodes that cannot run here')}
        checked={every}
        onChange={(event) => setEvery(event.currentTarget.checked)}
      />
      {found.length === 0 && <Words c="dimmed">{t('No node type matches. Try another word.')}</Words>}
      {GROUPS.map(([group, label]) => {
        const some = found.filter((one) => one.group === group);
        if (some.length === 0) return null;
        return (
          <section key={group} aria-label={label}>
            <Title order={2} size="h4" mb={4}>
              {label}
            </Title>
            {some.map((one) => (
              <Words key={one.kind} size="sm">
                <Anchor component={Link} to={nodePage(one.kind)} inherit>
                  {one.displayName}
                </Anchor>
                {': '}
                {one.available ? one.description : t('Cannot run: {missing}', { missing: one.missing })}
              </Words>
            ))}
          </section>
        );
      })}
    </Stack>
  );
}
