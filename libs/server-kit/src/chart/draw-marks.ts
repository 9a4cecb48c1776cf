import type { ChartData } from './chart-data.ts';
import { escapeXml, textWidth } from './chart-text.ts';
import { SERIES_COLORS, roundPixels as round, type ChartType, type Plot } from './plot.ts';

export interface MarkOptions {
  readonly type: ChartType;
  /** Vertical position of zero, in pixels. */
  readonly baseline: number;
}

/** Number of points up to which a line shows each of them. */
const MAX_DOTS = 60;
const VALUE_SIZE = 11;

/** Draws the bars or lines of a chart. A missing value has no bar and interrupts the line. */
export function drawMarks(data: ChartData, plot: Plot, options: MarkOptions): readonly string[] {
  return data.series.map(({ values }, index) => {
    const color = SERIES_COLORS[index % SERIES_COLORS.length] ?? '';
    return options.type === 'bar'
      ? drawBars(values, plot, { ...options, color, index, count: data.series.length })
      : drawLine(values, plot, color);
  });
}

interface BarOptions extends MarkOptions {
  readonly color: string;
  /** Number of the series, from 0. */
  readonly index: number;
  /** Number of all series. */
  readonly count: number;
}

function drawBars(values: readonly (number | null)[], plot: Plot, options: BarOptions): string {
  const { color, index, count, baseline } = options;
  const width = (plot.slot * 0.8) / count;
  const bars = values.flatMap((value, at) => {
    if (value === null) return [];
    const y = plot.y(value);
    const x = (plot.x[at] ?? 0) - plot.slot * 0.4 + index * width;
    const [top, height] = [Math.min(y, baseline), Math.abs(y - baseline)];
    const bar = `<rect x="${round(x)}" y="${round(top)}" width="${round(Math.max(width, 0.5))}" height="${round(height)}"/>`;
    return [bar, ...valueLabel(value, { x: x + width / 2, y, width }, options)];
  });
  return `<g fill="${color}">${bars.join('')}</g>`;
}

interface BarPlace {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** Returns the value of a bar as text above or below it, where it fits. */
function valueLabel(
  value: number,
  { x, y, width }: BarPlace,
  { count }: BarOptions,
): readonly string[] {
  shortNumber ??= new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 4 });
  const label = shortNumber.format(value);
  if (count > 1 || textWidth(label, VALUE_SIZE) > width * 1.15) return [];
  return [
    `<text x="${round(x)}" y="${round(value < 0 ? y + 13 : y - 4)}" font-size="${VALUE_SIZE}" text-anchor="middle" fill="#222222">${escapeXml(label)}</text>`,
  ];
}

/** Created by the first chart: it loads tables that a server without charts never needs. */
let shortNumber: Intl.NumberFormat | undefined;

function drawLine(values: readonly (number | null)[], plot: Plot, color: string): string {
  const commands: string[] = [];
  const dots: string[] = [];
  const isSparse = values.length <= MAX_DOTS;
  values.forEach((value, at) => {
    if (value === null) return;
    const [x, y] = [round(plot.x[at] ?? 0), round(plot.y(value))];
    const [previous, next] = [values[at - 1] ?? null, values[at + 1] ?? null];
    commands.push(`${previous === null ? 'M' : 'L'}${x} ${y}`);
    const isAlone = previous === null && next === null;
    if (isSparse || isAlone) dots.push(`<circle cx="${x}" cy="${y}" r="3"/>`);
  });
  return `<path d="${commands.join('')}" fill="none" stroke="${color}" stroke-width="2" stroke-linejoin="round"/><g fill="${color}">${dots.join('')}</g>`;
}
