export interface Series {
  name: string;
  values: readonly (number | null)[];
}

export interface ChartProps {
  /** What it shows: 'Cost by day'. */
  label: string;
  /** The horizontal axis: times in milliseconds, or else names. */
  times?: readonly number[];
  labels?: readonly string[];
  /** Keep the same object while nothing changes (useMemo): the chart is drawn anew for a new one. */
  series: readonly Series[];
  /** Bars are stacked. */
  kind?: 'line' | 'bars';
  /** How values are written; must stay the same function. */
  format?: (value: number) => string;
  height?: number;
}

/** Told apart by lightness too, for who does not see the hues. */
export const COLOURS: Record<'light' | 'dark', readonly string[]> = {
  light: ['#117c87', '#c26a00', '#5b4fc4', '#2e9e5b', '#b3387a', '#6b7680', '#0a4f8f', '#8f7a00'],
  dark: ['#4cadb6', '#f0a04b', '#a79fff', '#6fd394', '#f08bbf', '#a8b1ba', '#74b3f2', '#dcc95a'],
};
