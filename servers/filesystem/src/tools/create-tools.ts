import type { ToolDefinition } from '@signalbox/mcp-core/server';
import { listAllowedDirectoriesTool } from './list-allowed-directories.ts';
import { listDirectoryTool } from './list-directory.ts';
import { readTextFileTool } from './read-text-file.ts';
import { searchFilesTool } from './search-files.ts';
import type { ToolRunner } from './tool-runner.ts';
import { writeFileTool } from './write-file.ts';

export function createTools(runner: ToolRunner): readonly ToolDefinition[] {
  return [listAllowedDirectoriesTool, listDirectoryTool, readTextFileTool, searchFilesTool, writeFileTool].map((create) => create(runner));
}
