import { Select } from '@mantine/core';

const DAY = 86_400_000;
const ENDS = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: '', label: 'Never' },
];

/** The end that a new key has unless another one is chosen. */
export const USUAL_END = '90';

/** The moment of a chosen end, ISO 8601; undefined: it never ends. */
export const momentOf = (end: string) => (end ? new Date(Date.now() + Number(end) * DAY).toISOString() : undefined);

/** When a key ends. */
export function Expiry({
  value,
  error,
  onChange,
}: {
  value: string;
  error?: string | undefined;
  onChange: (end: string) => void;
}) {
  return (
    <Select
      label="It ends"
      data={ENDS}
      value={value}
      allowDeselect={false}
      error={error}
      onChange={(next) => onChange(next ?? '')}
    />
  );
}
