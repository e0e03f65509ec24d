import { SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Copyable } from '../../../components/Copyable';
import { t } from '../../../language/messages';
import { routeOf } from '../live/TestWebhook';
import { type DocNode, kindOf } from '../model/document';
import { useEditor } from '../model/store';

/** Where a webhook is called: the test address, and the one of the active workflow. */
export function Addresses({ node }: { node: DocNode }) {
  const active = useEditor((state) => state.active);
  const [which, setWhich] = useState('test');
  if (kindOf(node.type) !== 'webhook') return null;
  const { methods, path } = routeOf(node);
  const url = `${location.origin}/${which === 'test' ? 'webhook-test' : 'webhook'}/${path}`;
  return (
    <Stack gap={4} align="flex-start">
      <SegmentedControl
        size="xs"
        aria-label={t('Which address')}
        value={which}
        onChange={setWhich}
        data={[
          { value: 'test', label: t('Test URL') },
          { value: 'live', label: t('Production URL') },
        ]}
      />
      <Text size="sm" className="jf-mono" maw="100%" component="div">
        {methods.join(', ')}{' '}
        <Copyable text={url} label={which === 'test' ? t('the test URL') : t('the production URL')} />
      </Text>
      <Text size="xs" c="dimmed">
        {which === 'test'
          ? t('Runs the saved workflow with its pinned data, active or not.')
          : active
            ? t('It is live: the workflow is active.')
            : t('It is live when the workflow is active.')}
      </Text>
    </Stack>
  );
}
