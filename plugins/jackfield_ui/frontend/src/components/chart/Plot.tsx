import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { ChartProps } from './types';
import { COLOURS } from './types';

/** uPlot, drawn again when the size, the data or the scheme changes. */
export default function Plot({ times, labels, series, kind, format, height }: Required<ChartProps>) {
  const host = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme();

  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const style = getComputedStyle(element);
    const [text, line] = [style.getPropertyValue('--mantine-color-dimmed'), style.getPropertyValue('--jf-line')];
    const axis = {
      stroke: text,
      grid: { stroke: line, width: 1 },
      ticks: { stroke: line, width: 1 },
      font: `12px ${style.fontFamily}`,
    };
    const xs = times.length ? times.map((time) => time / 1000) : labels.map((_, index) => index);
    const bars = kind === 'bars' ? uPlot.paths.bars?.({ size: [0.7, 48], radius: 0.1 }) : undefined;
    const plot = new uPlot(
      {
        width: Math.max(1, element.clientWidth),
        height,
        legend: { show: false },
        cursor: { y: false, points: { size: 6 } },
        scales: {
          x: {
            time: times.length > 0,
            ...(kind === 'bars' && !times.length ? { range: [-0.6, labels.length - 0.4] } : {}),
          },
          y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.08 : 1] },
        },
        axes: [
          {
            ...axis,
            grid: { show: false },
            ...(times.length
              ? {}
              : { values: (_plot, splits) => splits.map((at) => labels[at] ?? ''), incrs: [1, 2, 5, 7, 10, 20, 50] }),
          },
          {
            ...axis,
            size: (_plot, values) => 24 + 7 * Math.max(3, ...(values ?? []).map((value) => value.length)),
            values: (_plot, splits) => splits.map(format),
          },
        ],
        series: [
          {},
          ...series.map(({ name }, index) => {
            const colour = COLOURS[scheme][index % COLOURS[scheme].length] ?? text;
            const fill = kind === 'bars' ? colour : `${colour}22`;
            return {
              label: name,
              stroke: colour,
              fill,
              width: kind === 'bars' ? 0 : 2,
              points: { show: xs.length < 2 },
              ...(bars ? { paths: bars } : {}),
            };
          }),
        ],
      },
      [
        xs,
        ...stacked(
          series.map(({ values }) => values),
          kind,
        ),
      ] as uPlot.AlignedData,
      element,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: Math.max(1, element.clientWidth), height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [times, labels, series, kind, format, height, scheme]);

  return <div ref={host} style={{ minHeight: height }} aria-hidden="true" />;
}

/** Bars stand on each other: the first series is drawn last and lies on top, so each gets the sum of itself and what follows. */
function stacked(values: readonly (readonly (number | null)[])[], kind: 'line' | 'bars'): (number | null)[][] {
  if (kind === 'line') return values.map((row) => [...row]);
  return values.map((row, index) =>
    row.map((_, at) => values.slice(index).reduce((sum, other) => sum + (other[at] ?? 0), 0)),
  );
}
