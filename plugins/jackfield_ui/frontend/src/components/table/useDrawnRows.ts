import { defaultRangeExtractor, useWindowVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useLayoutEffect, useState } from 'react';

/** Up to so many rows all are drawn: then the browser's own search finds them. */
const ALL = 100;
/** Pixels of a row until it is measured. */
const HEIGHT = 44;
const AROUND = 12;

export interface DrawnRow {
  index: number;
  /** Pixels of the rows before it that are not drawn. */
  gap: number;
}

/** Which rows are drawn: of many those in sight, and the one that has the focus. */
export function useDrawnRows(body: RefObject<HTMLElement | null>, count: number, kept: number) {
  const [margin, setMargin] = useState(0);
  const many = count > ALL;
  useLayoutEffect(() => {
    const top = (body.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
    if (many && Math.abs(top - margin) > 1) setMargin(top);
  });
  const rows = useWindowVirtualizer({
    enabled: many,
    count,
    estimateSize: () => HEIGHT,
    overscan: AROUND,
    scrollMargin: margin,
    rangeExtractor: (range) => {
      const drawn = defaultRangeExtractor(range);
      return kept < 0 || drawn.includes(kept) ? drawn : [...drawn, kept].sort((one, other) => one - other);
    },
  });
  if (!many) return { drawn: Array.from({ length: count }, (_, index) => ({ index, gap: 0 })), after: 0 };
  const items = rows.getVirtualItems();
  const drawn: DrawnRow[] = items.map(({ index, start }, at) => ({
    index,
    gap: start - (items[at - 1]?.end ?? margin),
  }));
  return { drawn, after: rows.getTotalSize() + margin - (items.at(-1)?.end ?? margin), measure: rows.measureElement };
}
