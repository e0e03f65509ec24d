import { useCallback, useLayoutEffect, useRef } from 'react';

/**
 * A function that stays the same object and does what its newest version does: another one would have React Flow draw
 * every node again.
 */
export function useStable<Given extends unknown[], Result>(
  newest: (...given: Given) => Result,
): (...given: Given) => Result {
  const current = useRef(newest);
  useLayoutEffect(() => {
    current.current = newest;
  });
  return useCallback((...given: Given) => current.current(...given), []);
}
