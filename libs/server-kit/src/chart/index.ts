export type { ChartData } from './chart-data.ts';
export { drawChart } from './draw-chart.ts';
export type { ChartOptions } from './draw-chart.ts';
export type { ChartType } from './plot.ts';
export { formatTime, parseTime } from './parse-time.ts';
export type { ParsedTime, TimeUnit } from './parse-time.ts';
