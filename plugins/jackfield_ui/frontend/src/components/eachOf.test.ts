import { expect, it } from 'vitest';
import { eachOf } from './eachOf';

it('does it to each, so many at once, and says in their order what failed', async () => {
  let open = 0;
  let most = 0;
  const report = await eachOf(
    [1, 2, 3, 4, 5, 6, 7],
    async (key) => {
      open += 1;
      most = Math.max(most, open);
      await Promise.resolve();
      await Promise.resolve();
      open -= 1;
      if (key % 3 === 0) throw new Error(`no ${key}`);
    },
    2,
  );
  expect(most).toBe(2);
  expect(report).toEqual({
    done: 5,
    failed: [
      { key: 3, reason: 'no 3' },
      { key: 6, reason: 'no 6' },
    ],
  });
});
