import { shownName } from '@signalbox/file-sandbox';
import { defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import { copyPath, type SkippedEntry } from '../files/copy-path.ts';
import type { ToolRunner } from './tool-runner.ts';

export function copyFileTool(runner: ToolRunner): ToolDefinition {
  return defineTool({
    name: 'copy_file',
    title: 'Copy',
    description:
      'Copy a file, or a directory with recursive. The destination must not exist. Links that lead outside are skipped.',
    inputSchema: {
      type: 'object',
      properties: {
        source: { type: 'string' },
        destination: { type: 'string', description: 'Path of the copy, name included.' },
        recursive: { type: 'boolean' },
      },
      required: ['source', 'destination'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        files: { type: 'integer' },
        directories: { type: 'integer' },
        bytes: { type: 'integer' },
        skipped: { type: 'integer' },
      },
      required: ['path', 'files', 'directories', 'bytes', 'skipped'],
      additionalProperties: false,
    },
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: false,
    },
    handler: (args, context) =>
      runner.run(
        { tool: 'copy_file', path: args.source },
        context,
        async ({ sandbox, signal, scanned }) => {
          const { source, destination, recursive = false } = args;
          // Progress counts bytes and entries together, because it must grow with either.
          const onProgress = (entries: number, bytes: number) => {
            scanned(entries + bytes, `${entries} entries, ${bytes} bytes copied`);
          };
          const { realPath, firstSkipped, ...counts } = await copyPath(
            sandbox,
            { source, destination, recursive },
            { signal, onProgress },
          );
          const skipped = counts.skipped === 0 ? '' : `, ${counts.skipped} skipped`;
          return {
            structuredContent: { path: realPath, ...counts },
            content: `Copied to ${shownName(realPath)}: ${counts.files} files, ${counts.directories} directories, ${counts.bytes} bytes${skipped}.${skippedText(firstSkipped, counts.skipped)}`,
          };
        },
      ),
  });
}

function skippedText(first: readonly SkippedEntry[], count: number): string {
  if (count === 0) return '';
  const lines = first.map(({ path, reason }) => `- ${shownName(path)}: ${reason}`);
  const more = count > first.length ? [`- and ${count - first.length} more`] : [];
  return `\nSkipped:\n${[...lines, ...more].join('\n')}`;
}
