import { SimpleGrid, Stack, Text } from '@mantine/core';
import { NumberField } from '../../components/numbers/NumberField';
import { t } from '../../language/messages';
import type { FormProps } from './Form';
import type { Budget } from './model';

const PERIODS = [
  { period: 'day', dollars: t('US dollars a day'), tokens: t('Tokens a day') },
  { period: 'month', dollars: t('US dollars a month'), tokens: t('Tokens a month') },
] as const;

/** What may be spent; beyond it requests are refused until the period ends. */
export function BudgetInputs({ draft, errors, onChange }: FormProps) {
  const put = (period: 'day' | 'month', unit: keyof Budget, value: string | number) => {
    const { [unit]: _, ...rest } = draft[period];
    const budget = value === '' ? rest : { ...rest, [unit]: Number(value) };
    onChange({ ...draft, [period]: budget }, `budgets.${period}`);
  };
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {t(
          'When one is used up, requests are refused until it resets, in local time. Models without a price cost nothing here.',
        )}
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        {PERIODS.flatMap(({ period, dollars, tokens }) => [
          <NumberField
            key={`${period}.usd`}
            label={dollars}
            placeholder={t('no limit')}
            min={0}
            decimals={2}
            value={draft[period].usd ?? ''}
            error={errors[`budgets.${period}.usd`] ?? errors[`budgets.${period}`]}
            onChange={(value) => put(period, 'usd', value)}
          />,
          <NumberField
            key={`${period}.tokens`}
            label={tokens}
            placeholder={t('no limit')}
            min={0}
            step={1_000_000}
            decimals={0}
            value={draft[period].tokens ?? ''}
            error={errors[`budgets.${period}.tokens`]}
            onChange={(value) => put(period, 'tokens', value)}
          />,
        ])}
      </SimpleGrid>
    </Stack>
  );
}
