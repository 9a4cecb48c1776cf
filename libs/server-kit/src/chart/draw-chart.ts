import { parseTime } from './parse-time.ts';
import type { ChartData } from './chart-data.ts';
import { cutLabel, escapeXml, textWidth } from './chart-text.ts';
import { drawMarks } from './draw-marks.ts';
import { niceTicks, type Ticks } from './nice-ticks.ts';
import { SERIES_COLORS, roundPixels as round, type ChartType, type Plot } from './plot.ts';
import { timeTicks } from './time-ticks.ts';

/** The kind and the texts of a chart. */
export interface ChartOptions {
  readonly type: ChartType;
  readonly title?: string | undefined;
}

const WIDTH = 800;
const HEIGHT = 450;
const FONT_SIZE = 12;
const TITLE_SIZE = 16;
const TEXT_COLOR = '#222222';
const GRID_COLOR = '#dddddd';
const AXIS_COLOR = '#666666';
/** The horizontal axis: its labels, and where each value and label is, from 0 to 1. */
interface HorizontalAxis {
  readonly positions: readonly number[];
  readonly ticks: readonly { readonly at: number; readonly label: string }[];
  readonly isContinuous: boolean;
}

/**
 * Draws a chart as an SVG document of 800 by 450 pixels with dark text on white. All text is
 * escaped, and the document has no scripts, links or external parts.
 */
export function drawChart(data: ChartData, { type, title }: ChartOptions): string {
  const sorted = type === 'line' ? sortedByX(data) : data;
  const horizontal = horizontalAxis(sorted, type);
  const vertical = verticalTicks(sorted, type);
  const legend = layOutLegend(sorted);
  const top = 16 + (title === undefined ? 0 : 26) + legend.height;
  const labels = layOutLabels(horizontal, vertical);
  const plot = plotOf(horizontal, vertical, { ...labels, top });
  const [min, max] = [plot.y(vertical.min), plot.y(vertical.max)];
  const parts = [
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    ...(title === undefined
      ? []
      : [text(cutLabel(title, 90), { x: WIDTH / 2, y: 28, size: TITLE_SIZE, anchor: 'middle' })]),
    ...legend.draw(16 + (title === undefined ? 0 : 26)),
    ...vertical.values.map((value) => gridLine(plot, value, vertical)),
    line([plot.left, min], [plot.left, max], AXIS_COLOR),
    line([plot.left, plot.y(zeroOf(vertical))], [plot.right, plot.y(zeroOf(vertical))], AXIS_COLOR),
    ...labels.draw(plot),
    text(cutLabel(data.x, 60), {
      x: (plot.left + plot.right) / 2,
      y: HEIGHT - 8,
      anchor: 'middle',
    }),
    ...drawMarks(sorted, plot, { type, baseline: plot.y(zeroOf(vertical)) }),
  ];
  const name = escapeXml(
    title ?? `${data.series.map((each) => each.name).join(', ')} by ${data.x}`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="${FONT_SIZE}" role="img"><title>${name}</title>${parts.join('')}</svg>`;
}

/** Sorts the values of a continuous axis, so that a line does not turn back. */
function sortedByX(data: ChartData): ChartData {
  const numbers = continuousValues(data.labels);
  if (numbers === undefined) return data;
  const order = numbers
    .map((_, index) => index)
    .toSorted((left, right) => (numbers[left] ?? 0) - (numbers[right] ?? 0));
  return {
    ...data,
    labels: order.map((index) => data.labels[index] ?? null),
    series: data.series.map(({ name, values }) => ({
      name,
      values: order.map((index) => values[index] ?? null),
    })),
  };
}

/** Returns the labels as numbers or times; `undefined` when one is neither. */
function continuousValues(labels: ChartData['labels']): readonly number[] | undefined {
  const numbers = labels.map((label) =>
    typeof label === 'string' ? parseTime(label)?.ms : (label ?? undefined),
  );
  const isUniform = new Set(labels.map((label) => typeof label)).size === 1;
  return isUniform && numbers.every((value) => value !== undefined) ? numbers : undefined;
}

function horizontalAxis({ labels }: ChartData, type: ChartType): HorizontalAxis {
  const values = type === 'line' && labels.length > 1 ? continuousValues(labels) : undefined;
  const [low, high] = [values?.[0] ?? 0, values?.at(-1) ?? 0];
  if (values === undefined || low === high) {
    const positions = labels.map((_, index) => (index + 0.5) / labels.length);
    return {
      positions,
      ticks: labels.map((label, index) => ({
        at: positions[index] ?? 0,
        label: String(label ?? 'NULL'),
      })),
      isContinuous: false,
    };
  }
  const isTime = typeof labels[0] === 'string';
  const ticks = isTime ? timeTicks(low, high) : niceTicks(low, high);
  const at = (value: number): number => (value - ticks.min) / (ticks.max - ticks.min);
  return {
    positions: values.map(at),
    ticks: ticks.values.map((value) => ({ at: at(value), label: ticks.format(value) })),
    isContinuous: true,
  };
}

function verticalTicks({ series }: ChartData, type: ChartType): Ticks {
  const values = series.flatMap(({ values: own }) => own.filter((value) => value !== null));
  const low = values.reduce((least, value) => Math.min(least, value), Infinity);
  const high = values.reduce((most, value) => Math.max(most, value), -Infinity);
  if (values.length === 0) return niceTicks(0, 1);
  const isNearZero = low > 0 ? low < high / 2 : high > low / 2;
  return type === 'bar' || isNearZero
    ? niceTicks(Math.min(low, 0), Math.max(high, 0))
    : niceTicks(low, high);
}

function zeroOf({ min, max }: Ticks): number {
  return Math.min(Math.max(0, min), max);
}

interface LabelLayout {
  readonly left: number;
  readonly bottom: number;
  readonly draw: (plot: Plot) => readonly string[];
}

/** Decides which labels of the horizontal axis are shown, and whether they are slanted. */
function layOutLabels({ ticks, isContinuous }: HorizontalAxis, vertical: Ticks): LabelLayout {
  const cut = ticks.map((tick) => ({ at: tick.at, label: cutLabel(tick.label, 22) }));
  const widest = Math.max(0, ...cut.map(({ label }) => textWidth(label, FONT_SIZE)));
  const slot = (WIDTH - 100) / Math.max(1, ticks.length);
  const isSlanted = !isContinuous && widest > slot * 0.95;
  const step = isSlanted ? Math.ceil(16 / slot) : 1;
  const numbers = Math.max(
    ...vertical.values.map((value) => textWidth(vertical.format(value), FONT_SIZE)),
  );
  const [cos, sin] = [0.77, 0.64];
  return {
    left: Math.max(numbers + 18, isSlanted ? Math.min(widest * cos, 120) : widest / 2, 40),
    bottom: 40 + (isSlanted ? widest * sin : FONT_SIZE),
    draw: ({ left, right, bottom }) =>
      cut
        .filter((_, index) => index % step === 0)
        .flatMap(({ at, label }) => {
          const x = left + at * (right - left);
          const tick = line([x, bottom], [x, bottom + 4], AXIS_COLOR);
          return isSlanted
            ? [tick, text(label, { x, y: bottom + 14, anchor: 'end', rotate: -40 })]
            : [tick, text(label, { x, y: bottom + 18, anchor: 'middle' })];
        }),
  };
}

function plotOf(
  { positions, isContinuous }: HorizontalAxis,
  { min, max }: Ticks,
  margins: { readonly left: number; readonly top: number; readonly bottom: number },
): Plot {
  const [left, right] = [margins.left, WIDTH - 24];
  const [top, bottom] = [margins.top + 6, HEIGHT - margins.bottom];
  return {
    left,
    right,
    top,
    bottom,
    y: (value) => {
      const shown = Math.min(Math.max(value, min), max);
      return bottom - ((shown - min) / (max - min)) * (bottom - top);
    },
    x: positions.map((at) => left + at * (right - left)),
    slot: isContinuous ? 0 : (right - left) / Math.max(1, positions.length),
  };
}

interface Legend {
  readonly height: number;
  readonly draw: (top: number) => readonly string[];
}

function layOutLegend({ series }: ChartData): Legend {
  let [x, row] = [24, 0];
  const entries = series.map(({ name }, index) => {
    const label = cutLabel(name, 30);
    const width = textWidth(label, FONT_SIZE) + 40;
    if (x > 24 && x + width > WIDTH - 24) [x, row] = [24, row + 1];
    const entry = { x, row, label, color: SERIES_COLORS[index % SERIES_COLORS.length] ?? '' };
    x += width;
    return entry;
  });
  return {
    height: (row + 1) * 20,
    draw: (top) =>
      entries.flatMap((entry) => [
        `<rect x="${round(entry.x)}" y="${top + entry.row * 20}" width="12" height="12" fill="${entry.color}"/>`,
        text(entry.label, { x: entry.x + 18, y: top + entry.row * 20 + 10, anchor: 'start' }),
      ]),
  };
}

function gridLine({ left, right, y }: Plot, value: number, ticks: Ticks): string {
  const label = text(ticks.format(value), { x: left - 8, y: y(value) + 4, anchor: 'end' });
  return `${line([left, y(value)], [right, y(value)], GRID_COLOR)}${label}`;
}

type Point = readonly [x: number, y: number];

function line([x1, y1]: Point, [x2, y2]: Point, color: string): string {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="${color}"/>`;
}

interface TextPlace {
  readonly x: number;
  readonly y: number;
  readonly anchor: 'start' | 'middle' | 'end';
  readonly size?: number;
  /** Degrees around the end of the text. */
  readonly rotate?: number;
}

function text(content: string, { x, y, anchor, size, rotate }: TextPlace): string {
  const turn = rotate === undefined ? '' : ` transform="rotate(${rotate} ${round(x)} ${round(y)})"`;
  const fontSize = size === undefined ? '' : ` font-size="${size}"`;
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" fill="${TEXT_COLOR}"${fontSize}${turn}>${escapeXml(content)}</text>`;
}
