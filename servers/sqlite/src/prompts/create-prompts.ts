import type { PromptDefinition } from '@signalbox/mcp-core/server';
import type { Databases } from '../databases.ts';
import { analyzeTablePrompt } from './analyze-table.ts';
import { mcpDemoPrompt } from './mcp-demo.ts';
import { queryDataPrompt } from './query-data.ts';

export function createPrompts(databases: Databases): readonly PromptDefinition[] {
  return [mcpDemoPrompt(), queryDataPrompt(databases), analyzeTablePrompt(databases)];
}
