import { Stack, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { t } from '../../../language/messages';
import type { Offer, OfferErrors } from './offer';

interface OfferFields {
  offer: Offer;
  errors: OfferErrors;
  change: (next: Partial<Offer>) => void;
}

/** Whether agents of profiles have the workflow as a tool, and by which words they know it. */
export function OfferAsTool({ offer, errors, change }: OfferFields) {
  return (
    <Stack gap="xs">
      <Switch
        label={t('Offer as a tool')}
        description={t('The agents of all profiles can call this workflow while it is active.')}
        checked={offer.enabled}
        onChange={(event) => change({ enabled: event.currentTarget.checked })}
      />
      {offer.enabled && (
        <>
          <TextInput
            label={t('Name of the tool')}
            description={t('Empty: it is made of the workflow’s name.')}
            value={offer.name}
            error={errors.name}
            maxLength={40}
            autoComplete="off"
            classNames={{ input: 'jf-mono' }}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
          <Textarea
            label={t('Description of the tool')}
            description={t('Tell the model when to call it, and what it returns.')}
            value={offer.description}
            maxLength={2000}
            autosize
            minRows={2}
            maxRows={8}
            onChange={(event) => change({ description: event.currentTarget.value })}
          />
          <Textarea
            label={t('Input schema')}
            description={t('A JSON Schema of the arguments. Empty: the start node’s fields.')}
            value={offer.schema}
            error={errors.schema}
            autosize
            minRows={2}
            maxRows={14}
            spellCheck={false}
            classNames={{ input: 'jf-mono' }}
            onChange={(event) => change({ schema: event.currentTarget.value })}
          />
          <Text size="xs" c="dimmed">
            {t(
              'A call starts at the Execute Workflow Trigger, else at a manual trigger, a form, a chat, a webhook or a schedule.',
            )}
          </Text>
        </>
      )}
    </Stack>
  );
}
