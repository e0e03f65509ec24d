import { Select } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import { t } from '../../language/messages';

const DAY = 86_400_000;
const ENDS = [
  { value: '30', label: t('In 30 days') },
  { value: '90', label: t('In 90 days') },
  { value: '365', label: t('In a year') },
  { value: '', label: t('Never') },
];

/** The end that a new key has unless another one is chosen. */
export const USUAL_END = '90';

/** The moment of a chosen end, ISO 8601; undefined: it never ends. */
export const momentOf = (end: string) => (end ? new Date(Date.now() + Number(end) * DAY).toISOString() : undefined);

/** When a key ends. */
export function Expiry(props: GetInputPropsReturnType) {
  return <Select label={t('It ends')} data={ENDS} allowDeselect={false} {...props} />;
}
