import { pinDirectory, shownName } from '@signalbox/file-sandbox';
import { defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import { unreadRulesNote } from '../files/gitignore.ts';
import { search, type SearchOutcome } from '../files/search.ts';
import type { ToolRunner } from './tool-runner.ts';

export function searchFilesTool(runner: ToolRunner): ToolDefinition {
  return defineTool({
    name: 'search_files',
    title: 'Search files by name',
    description:
      'Find files and directories by name. A plain name (package.json) is found at any depth; a glob matches the path relative to path: ' +
      '*.js is the first level, **/*.js any depth. total counts all; groupDepth also counts per directory of that depth; maxResults 0 lists none.',
    inputSchema: {
      type: 'object',
      properties: {
        path: {
          type: 'string',
          description: 'Directory; "." is the first allowed one.',
        },
        pattern: { type: 'string', minLength: 1, maxLength: 1000, description: 'Name or glob.' },
        excludePatterns: {
          type: 'array',
          maxItems: 100,
          items: { type: 'string', minLength: 1, maxLength: 1000 },
          description: 'Names or globs to leave out, for example ["node_modules"].',
        },
        type: { enum: ['any', 'file', 'directory'], description: 'What may match. Default any.' },
        maxResults: {
          type: 'integer',
          minimum: 0,
          maximum: maxResultsLimit,
          description: `Default ${maxResultsLimit}.`,
        },
        respectGitignore: { type: 'boolean' },
        groupDepth: {
          type: 'integer',
          minimum: 0,
          maximum: 10,
          description: 'Count per directory of this depth.',
        },
      },
      required: ['path', 'pattern'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        content: { type: 'string' },
        path: { type: 'string' },
        matches: { type: 'array', items: { type: 'string' } },
        total: { type: 'integer' },
        scanned: { type: 'integer' },
        truncated: { type: 'boolean' },
        unreadable: { type: 'integer' },
        groups: {
          type: 'array',
          items: {
            type: 'object',
            properties: { directory: { type: 'string' }, count: { type: 'integer' } },
          },
        },
        groupsTruncated: { type: 'boolean' },
      },
      required: ['content', 'path', 'matches', 'total', 'scanned', 'truncated'],
      additionalProperties: false,
    },
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    handler: (args, context) =>
      runner.run(
        { tool: 'search_files', path: args.path },
        context,
        async ({ sandbox, signal, scanned }) => {
          await using directory = await pinDirectory(sandbox, args.path);
          const {
            pattern,
            excludePatterns = [],
            type = 'any',
            maxResults = maxResultsLimit,
            groupDepth,
            respectGitignore = false,
          } = args;
          const onScanned = (entries: number, matches: number) =>
            scanned(entries, `${matches} matches in ${entries} entries`);
          // A result has the matches three times: as text, and twice structured, in the forms that
          // clients of other filesystem servers and of ours read.
          const maxBytes = Math.floor(runner.limits.maxResultBytes * 0.75);
          const options = {
            pattern,
            excludePatterns,
            type,
            maxResults,
            groupDepth,
            respectGitignore,
            maxBytes,
          };
          const outcome = await search(directory, options, { sandbox, signal, onScanned });
          const { tooDeep: _deep, unreadRules: _rules, paths, ...structured } = outcome;
          const notes = notesOf(outcome);
          const text =
            outcome.total === 0
              ? 'No matches found'
              : paths.map(shownName).join('\n') || notes.splice(0).join('\n');
          return {
            structuredContent: { content: text, path: directory.realPath, ...structured },
            content: [
              { type: 'text', text },
              ...(notes.length === 0 ? [] : [{ type: 'text' as const, text: notes.join('\n') }]),
            ],
          };
        },
      ),
  });
}

const maxResultsLimit = 50_000;

/** Returns the lines that follow the matches, which the official server does not have. */
function notesOf({ matches, total, unreadable, tooDeep, ...outcome }: SearchOutcome): string[] {
  const lines: string[] = [];
  if (matches.length < total)
    lines.push(
      `${total} matches in ${outcome.scanned} entries; the first ${matches.length} are listed.`,
    );
  if (unreadable !== undefined) lines.push(`${unreadable} directories could not be opened.`);
  if (tooDeep > 0)
    lines.push(`${tooDeep} directories are more than 256 levels down and were not searched.`);
  const note = unreadRulesNote(outcome.unreadRules);
  if (note !== undefined) lines.push(note);
  for (const group of outcome.groups ?? [])
    lines.push(`${group.count}\t${shownName(group.directory)}`);
  if (outcome.groupsTruncated) lines.push('[More groups were left out: use a smaller groupDepth.]');
  return lines;
}
