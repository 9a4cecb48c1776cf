import type { WeatherProvider } from '../provider.ts';
import { UNITS, type Units } from '../units.ts';

/** The dependencies of every tool. */
export interface ToolSetup {
  readonly provider: WeatherProvider;
  /** Units of calls that name none. */
  readonly defaultUnits: Units;
  /** Returns the milliseconds since the epoch. */
  readonly now: () => number;
}

export const readsTheWorld = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
} as const;

export function unitsInput(setup: ToolSetup) {
  return {
    type: 'string',
    enum: UNITS,
    description: `Default ${setup.defaultUnits}. kelvin: K, m/s, mm.`,
  } as const;
}

export const nullableNumber = { type: ['number', 'null'] } as const;

export const conditionsSchema = {
  type: 'object',
  properties: {
    code: { type: ['integer', 'null'], description: 'WMO 4677' },
    text: { type: 'string' },
  },
  required: ['code', 'text'],
} as const;

/** Formats a value with its unit. */
export function measured(value: number | null, unit: string): string {
  if (value === null) return 'unknown';
  return unit === '%' ? `${value}%` : `${value} ${unit}`;
}
