import type { ToolDefinition } from '@signalbox/mcp-core/server';
import { appendFileTool } from './append-file.ts';
import { copyFileTool } from './copy-file.ts';
import { createDirectoryTool } from './create-directory.ts';
import { deleteFileTool } from './delete-file.ts';
import { editFileTool } from './edit-file.ts';
import { directoryTreeTool } from './directory-tree.ts';
import { getFileInfoTool } from './get-file-info.ts';
import { listAllowedDirectoriesTool } from './list-allowed-directories.ts';
import { listDirectoryWithSizesTool } from './list-directory-with-sizes.ts';
import { listDirectoryTool } from './list-directory.ts';
import { moveFileTool } from './move-file.ts';
import { readMediaFileTool } from './read-media-file.ts';
import { readMultipleFilesTool } from './read-multiple-files.ts';
import { readFileTool, readTextFileTool } from './read-text-file.ts';
import { searchContentTool } from './search-content.ts';
import { searchFilesTool } from './search-files.ts';
import { summarizeFileTool } from './summarize-file.ts';
import type { ToolRunner } from './tool-runner.ts';
import { writeFileTool } from './write-file.ts';

export interface CreateToolsOptions {
  /** Leaves out every tool that changes something; default false. */
  readonly readOnly?: boolean;
}

export function createTools(
  runner: ToolRunner,
  { readOnly = false }: CreateToolsOptions = {},
): readonly ToolDefinition[] {
  return toolMakers
    .map((create) => create(runner))
    .filter((tool) => !readOnly || tool.annotations?.readOnlyHint === true);
}

const toolMakers: readonly ((runner: ToolRunner) => ToolDefinition)[] = [
  listAllowedDirectoriesTool,
  listDirectoryTool,
  directoryTreeTool,
  getFileInfoTool,
  listDirectoryWithSizesTool,
  readMediaFileTool,
  readMultipleFilesTool,
  readFileTool,
  readTextFileTool,
  searchContentTool,
  searchFilesTool,
  summarizeFileTool,
  writeFileTool,
  appendFileTool,
  editFileTool,
  createDirectoryTool,
  moveFileTool,
  copyFileTool,
  deleteFileTool,
];
