import type { ToolDefinition } from '@signalbox/mcp-core/server';
import { airQualityTool } from './air-quality.ts';
import { getAlertsTool } from './get-alerts.ts';
import { getForecastTool } from './get-forecast.ts';
import { searchLocationTool } from './search-location.ts';
import type { ToolSetup } from './tool-setup.ts';
import { weatherCompareTool } from './weather-compare.ts';
import { weatherCurrentTool } from './weather-current.ts';
import { weatherForecastTool } from './weather-forecast.ts';
import { weatherHistoryTool } from './weather-history.ts';

export function createTools(setup: ToolSetup): readonly ToolDefinition[] {
  return [
    weatherCurrentTool(setup),
    weatherForecastTool(setup),
    weatherHistoryTool(setup),
    weatherCompareTool(setup),
    airQualityTool(setup),
    searchLocationTool(setup),
    getAlertsTool(setup),
    getForecastTool(setup),
  ];
}
