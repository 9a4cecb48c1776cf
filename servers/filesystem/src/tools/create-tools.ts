import type { ToolDefinition } from '@signalbox/mcp-core/server';
import { listAllowedDirectoriesTool } from './list-allowed-directories.ts';
import { listDirectoryTool } from './list-directory.ts';
import { readTextFileTool } from './read-text-file.ts';
import { searchFilesTool } from './search-files.ts';
import type { ToolRunner } from './tool-runner.ts';
import { writeFileTool } from './write-file.ts';

export interface CreateToolsOptions {
  /** Leaves out every tool that changes something; default false. */
  readonly readOnly?: boolean;
}

export function createTools(runner: ToolRunner, { readOnly = false }: CreateToolsOptions = {}): readonly ToolDefinition[] {
  return toolMakers.map((create) => create(runner)).filter((tool) => !readOnly || tool.annotations.readOnlyHint);
}

const toolMakers: readonly ((runner: ToolRunner) => ToolDefinition)[] = [
  listAllowedDirectoriesTool,
  listDirectoryTool,
  readTextFileTool,
  searchFilesTool,
  writeFileTool,
];
