import { SimpleGrid } from '@mantine/core';
import type { Usage } from '../../api/types';
import { Figure } from '../../components/Figure';
import { percent } from '../../components/format';
import { Count, Duration, Money } from '../../components/values';
import { tokensOf } from './model';

export function Totals({ usage }: { usage: Usage | undefined }) {
  const tokens = usage?.total_tokens;
  const cost = usage?.total_cost;
  const asked = tokens ? tokens.input_tokens + tokens.cache_creation_input_tokens + tokens.cache_read_input_tokens : 0;
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
      <Figure label="Cost" value={cost && <Money value={cost.total_cost} />}>
        {cost && (
          <>
            <Money value={cost.input_cost + cost.output_cost} /> fresh,{' '}
            <Money value={cost.cache_creation_cost + cost.cache_read_cost} /> cached
          </>
        )}
      </Figure>
      <Figure label="Tokens" value={tokens && <Count value={tokensOf(tokens)} short />}>
        {tokens && (
          <>
            <Count value={tokens.input_tokens} short /> in, <Count value={tokens.output_tokens} short /> out
          </>
        )}
      </Figure>
      <Figure
        label="From the cache"
        value={tokens && <span>{asked ? percent(tokens.cache_read_input_tokens / asked) : '–'}</span>}
      >
        {tokens && (
          <>
            <Count value={tokens.cache_read_input_tokens} short /> read,{' '}
            <Count value={tokens.cache_creation_input_tokens} short /> written
          </>
        )}
      </Figure>
      <Figure label="Sessions" value={usage && <Count value={usage.total_sessions} />}>
        {usage &&
          (usage.total_runtime_secs > 0 ? (
            <>
              <Duration ms={usage.total_runtime_secs * 1_000} /> of runs
            </>
          ) : (
            'of agents and proxies'
          ))}
      </Figure>
    </SimpleGrid>
  );
}
