import { SimpleGrid } from '@mantine/core';
import { Figure } from '../../components/Figure';
import { percent } from '../../components/format';
import { Count, Duration } from '../../components/values';
import { changeOf, type Insights, minutes } from './model';

/** The sums of the period, each beside the period before. */
export function Figures({ insights }: { insights: Insights | undefined }) {
  const sums = insights?.sums;
  const before = insights?.previous;
  return (
    <SimpleGrid cols={{ base: 2, md: 5 }} spacing="md">
      <Figure label="Executions" value={sums && <Count value={sums.total} />}>
        {sums && before && <Change now={sums.total} before={before.total} />}
      </Figure>
      <Figure label="Failed" value={sums && <Count value={sums.failed} />}>
        {sums && before && <Change now={sums.failed} before={before.failed} />}
      </Figure>
      <Figure label="Failure rate" value={sums && <span>{percent(sums.failureRate)}</span>}>
        {sums && before && before.total > 0 && `${percent(before.failureRate)} before`}
      </Figure>
      <Figure label="Run time, average" value={sums && <Duration ms={sums.averageRunTimeMs} />}>
        {before && before.total > 0 && (
          <>
            <Duration ms={before.averageRunTimeMs} /> before
          </>
        )}
      </Figure>
      <Figure label="Time saved" value={sums && <Duration ms={minutes(sums.timeSavedMinutes)} />}>
        {sums && sums.timeSavedMinutes === 0 ? 'Set it in the settings of a workflow' : 'by successful executions'}
      </Figure>
    </SimpleGrid>
  );
}

function Change({ now, before }: { now: number; before: number }) {
  const change = changeOf(now, before);
  if (change === null) return 'none in the period before';
  return change === 0 ? 'as in the period before' : `${change > 0 ? '+' : ''}${percent(change)} to the period before`;
}
