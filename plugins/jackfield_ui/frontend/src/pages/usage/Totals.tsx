import { SimpleGrid } from '@mantine/core';
import type { Usage } from '../../api/types';
import { Figure } from '../../components/Figure';
import { percent } from '../../components/format';
import { Count, Duration, Money } from '../../components/values';
import { rich, t } from '../../language/messages';
import { tokensOf } from './model';

export function Totals({ usage }: { usage: Usage | undefined }) {
  const tokens = usage?.total_tokens;
  const cost = usage?.total_cost;
  const asked = tokens ? tokens.input_tokens + tokens.cache_creation_input_tokens + tokens.cache_read_input_tokens : 0;
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
      <Figure label={t('Cost')} value={cost && <Money value={cost.total_cost} />}>
        {cost &&
          rich('{inputCost} fresh, {cacheCreationCost} cached', {
            inputCost: <Money value={cost.input_cost + cost.output_cost} />,
            cacheCreationCost: <Money value={cost.cache_creation_cost + cost.cache_read_cost} />,
          })}
      </Figure>
      <Figure label={t('Tokens')} value={tokens && <Count value={tokensOf(tokens)} short />}>
        {tokens &&
          rich('{inputTokens} in, {outputTokens} out', {
            inputTokens: <Count value={tokens.input_tokens} short />,
            outputTokens: <Count value={tokens.output_tokens} short />,
          })}
      </Figure>
      <Figure
        label={t('From the cache')}
        value={tokens && <span>{asked ? percent(tokens.cache_read_input_tokens / asked) : '–'}</span>}
      >
        {tokens &&
          rich('{cacheReadInputTokens} read, {cacheCreationInputTokens} written', {
            cacheReadInputTokens: <Count value={tokens.cache_read_input_tokens} short />,
            cacheCreationInputTokens: <Count value={tokens.cache_creation_input_tokens} short />,
          })}
      </Figure>
      <Figure label={t('Sessions')} value={usage && <Count value={usage.total_sessions} />}>
        {usage &&
          (usage.total_runtime_secs > 0
            ? rich('{totalRuntimeSecs} of runs', {
                totalRuntimeSecs: <Duration ms={usage.total_runtime_secs * 1_000} />,
              })
            : t('of agents and proxies'))}
      </Figure>
    </SimpleGrid>
  );
}
