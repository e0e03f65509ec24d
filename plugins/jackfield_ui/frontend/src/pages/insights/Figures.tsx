import { SimpleGrid } from '@mantine/core';
import { Figure } from '../../components/Figure';
import { percent } from '../../components/format';
import { Count, Duration } from '../../components/values';
import { rich, t } from '../../language/messages';
import { changeOf, type Insights, minutes } from './model';

/** The sums of the period, each beside the period before. */
export function Figures({ insights }: { insights: Insights | undefined }) {
  const sums = insights?.sums;
  const before = insights?.previous;
  return (
    <SimpleGrid cols={{ base: 2, md: 5 }} spacing="md">
      <Figure label={t('Executions')} value={sums && <Count value={sums.total} />}>
        {sums && before && <Change now={sums.total} before={before.total} />}
      </Figure>
      <Figure label={t('Failed')} value={sums && <Count value={sums.failed} />}>
        {sums && before && <Change now={sums.failed} before={before.failed} />}
      </Figure>
      <Figure label={t('Failure rate')} value={sums && <span>{percent(sums.failureRate)}</span>}>
        {sums && before && before.total > 0 && t('{failureRate} before', { failureRate: percent(before.failureRate) })}
      </Figure>
      <Figure label={t('Run time, average')} value={sums && <Duration ms={sums.averageRunTimeMs} />}>
        {before &&
          before.total > 0 &&
          rich('{averageRunTimeMs} before', { averageRunTimeMs: <Duration ms={before.averageRunTimeMs} /> })}
      </Figure>
      <Figure label={t('Time saved')} value={sums && <Duration ms={minutes(sums.timeSavedMinutes)} />}>
        {sums && sums.timeSavedMinutes === 0
          ? t('Set it in the settings of a workflow')
          : t('by successful executions')}
      </Figure>
    </SimpleGrid>
  );
}

function Change({ now, before }: { now: number; before: number }) {
  const change = changeOf(now, before);
  if (change === null) return t('none in the period before');
  return change === 0
    ? t('as in the period before')
    : t('{change} to the period before', { change: `${change > 0 ? '+' : ''}${percent(change)}` });
}
