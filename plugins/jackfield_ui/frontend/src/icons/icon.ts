/** An icon of one colour on a square of 24 units. `drawn.ts` holds those that the interface uses. */
import { type ComponentPropsWithRef, createElement, type FunctionComponent } from 'react';

export interface IconProps extends Omit<ComponentPropsWithRef<'svg'>, 'stroke'> {
  /** Pixels of a side. */
  size?: number | string;
  /** Units that a line is wide; a filled icon has none. */
  stroke?: number | string;
}

export type Icon = FunctionComponent<IconProps>;

type Style = (color: string, stroke: number | string) => ComponentPropsWithRef<'svg'>;

const LINES: Style = (color, stroke) => ({
  fill: 'none',
  stroke: color,
  strokeWidth: stroke,
  strokeLinecap: 'round',
  strokeLinejoin: 'round',
});
const AREA: Style = (color) => ({ fill: color, stroke: 'none' });

const maker =
  (style: Style) =>
  (...paths: readonly string[]): Icon =>
  ({ size = 24, stroke = 2, color = 'currentColor', children, ...rest }) =>
    createElement(
      'svg',
      { viewBox: '0 0 24 24', width: size, height: size, ...style(color, stroke), ...rest },
      ...paths.map((d) => createElement('path', { d })),
      children,
    );

/** Each path is the `d` of one. */
export const outlined = maker(LINES);
export const filled = maker(AREA);
