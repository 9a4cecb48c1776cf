import { defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import { compactJson } from '../executor/compact-json.ts';
import type { Databases } from '../databases.ts';
import { METHOD_NAMES, predictTrend } from '../trend/predict-trend.ts';
import { timeSeries } from '../trend/time-series.ts';
import { databaseArgument } from './database-argument.ts';
import { PARAMS_SCHEMA, QUERY_SCHEMA } from './query-arguments.ts';
import { withQueryProgress } from './query-progress.ts';
import { READ_ONLY_HINTS } from './read-only-hints.ts';

const INTEGER = { type: 'integer' } as const;
const LIST = { type: 'array' } as const;
const DEFAULT_HORIZON = 12;
const DEFAULT_CONFIDENCE = 0.95;

/** Returns the tool that continues a time series. */
export function predictTrendTool(databases: Databases): ToolDefinition {
  return defineTool({
    name: 'predict_trend',
    title: 'Predict trend',
    description:
      'Predicts the next values of an evenly spaced time series that a query returns, with its season and an interval. Uses the method with the smallest error on the last known values, and returns that error.',
    inputSchema: {
      type: 'object',
      properties: {
        query: QUERY_SCHEMA,
        params: PARAMS_SCHEMA,
        database: databaseArgument(databases),
        time_column: { type: 'string' },
        value_column: { type: 'string' },
        season_length: {
          type: 'integer',
          minimum: 1,
          maximum: 400,
          description: '1: none; default: found',
        },
        horizon: {
          type: 'integer',
          minimum: 1,
          maximum: 500,
          description: `Default ${DEFAULT_HORIZON}`,
        },
        confidence_level: {
          type: 'number',
          minimum: 0.5,
          maximum: 0.999,
          description: `Default ${DEFAULT_CONFIDENCE}`,
        },
        methods: {
          type: 'array',
          items: { enum: METHOD_NAMES },
          minItems: 1,
        },
        fill_gaps: { type: 'boolean', description: 'Interpolate' },
        non_negative: { type: 'boolean' },
        include_history: { type: 'boolean' },
      },
      required: ['query'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        method: { type: 'string' },
        seasonLength: INTEGER,
        step: { type: 'string' },
        points: INTEGER,
        filled: INTEGER,
        error: {
          type: 'object',
          description: 'mae, rmse, mape (percent), folds, steps, coverage',
        },
        candidates: LIST,
        forecast: { ...LIST, description: 'time, value, low, high' },
        history: LIST,
      },
      required: ['method', 'seasonLength', 'step', 'points', 'filled', 'error', 'forecast'],
    },
    annotations: READ_ONLY_HINTS,
    handler: async ({ query, params, database, ...args }, context) => {
      const input = { query, ...(params === undefined ? {} : { params }) };
      const result = await withQueryProgress(
        context,
        databases.get(database).readers.run('read-query', input, context.signal),
      );
      const series = timeSeries(result, {
        time: args.time_column,
        value: args.value_column,
        fillGaps: args.fill_gaps,
      });
      const trend = predictTrend(series, {
        horizon: args.horizon ?? DEFAULT_HORIZON,
        confidenceLevel: args.confidence_level ?? DEFAULT_CONFIDENCE,
        seasonLength: args.season_length,
        methods: args.methods,
        nonNegative: args.non_negative,
      });
      const { values, scale, filled } = series;
      const structuredContent = {
        method: trend.method,
        seasonLength: trend.seasonLength,
        step: scale.step,
        points: values.length,
        filled,
        error: trend.error,
        candidates: trend.candidates,
        forecast: trend.forecast,
        ...(args.include_history === true
          ? { history: values.map((value, index) => ({ time: scale.timeAt(index), value })) }
          : {}),
      };
      return { structuredContent, content: compactJson(structuredContent) };
    },
  });
}
