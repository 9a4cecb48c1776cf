import { shownName } from '@signalbox/file-sandbox';
import { defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import { unreadRulesNote } from '../files/gitignore.ts';
import {
  searchContent,
  type ContentMatch,
  type ContentSearchOutcome,
} from '../files/search-content.ts';
import { requireRegularFile } from '../files/read-text.ts';
import type { ToolRunner } from './tool-runner.ts';

const defaultResults = 100;

export function searchContentTool(runner: ToolRunner): ToolDefinition {
  const maxResults = Math.min(1000, runner.limits.maxEntries);
  return defineTool({
    name: 'search_content',
    title: 'Search in files',
    description:
      'Find text in files: the first match of each line, by path and line. With regex the pattern is a regular expression (RE2 syntax). ' +
      'Binary files are skipped, and what .gitignore names. When truncated is true, narrow path or glob.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Directory or file.' },
        pattern: {
          type: 'string',
          minLength: 1,
          maxLength: 1000,
          description: 'Text, or a regular expression.',
        },
        regex: { type: 'boolean' },
        glob: {
          type: 'string',
          minLength: 1,
          maxLength: 1000,
          description: 'Only these files: *.ts (any depth), src/**/*.{js,ts}.',
        },
        excludePatterns: {
          type: 'array',
          maxItems: 100,
          items: { type: 'string', minLength: 1, maxLength: 1000 },
        },
        caseSensitive: { type: 'boolean', description: 'Default true.' },
        context: {
          type: 'integer',
          minimum: 0,
          maximum: 10,
          description: 'Lines before and after each match. Default 0.',
        },
        maxResults: {
          type: 'integer',
          minimum: 1,
          maximum: maxResults,
          description: `Default ${Math.min(defaultResults, maxResults)}.`,
        },
        respectGitignore: { type: 'boolean', description: 'Default true.' },
      },
      required: ['path', 'pattern'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        matches: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              path: { type: 'string' },
              line: { type: 'integer' },
              column: { type: 'integer' },
              text: { type: 'string' },
              before: { type: 'array', items: { type: 'string' } },
              after: { type: 'array', items: { type: 'string' } },
            },
            required: ['path', 'line', 'column', 'text'],
          },
        },
        truncated: { type: 'boolean' },
        scanned: { type: 'integer' },
        skippedBinary: { type: 'integer' },
        unreadable: { type: 'integer' },
      },
      required: ['path', 'matches', 'truncated', 'scanned', 'skippedBinary', 'unreadable'],
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
        { tool: 'search_content', path: args.path },
        context,
        async ({ sandbox, signal, scanned }) => {
          await using root = await sandbox.pin(args.path);
          if (!root.stats.isDirectory()) requireRegularFile(root);
          const {
            pattern,
            glob,
            regex = false,
            caseSensitive = true,
            excludePatterns = [],
            respectGitignore = true,
            context: lines = 0,
          } = args;
          const options = {
            pattern,
            regex,
            caseSensitive,
            excludePatterns,
            respectGitignore,
            context: lines,
            ...(glob === undefined ? {} : { glob }),
            maxResults: Math.min(args.maxResults ?? defaultResults, maxResults),
            // A result has the matches twice, as text and structured.
            maxBytes: Math.floor(runner.limits.maxResultBytes / 2.5),
          };
          const onScanned = (files: number, matches: number) =>
            scanned(files, `${matches} matches in ${files} files`);
          const outcome = await searchContent(root, options, { sandbox, signal, onScanned });
          const { tooDeep: _tooDeep, unreadRules: _unreadRules, ...structured } = outcome;
          return {
            structuredContent: { path: root.realPath, ...structured },
            content: summary(outcome),
          };
        },
      ),
  });
}

function summary({
  matches,
  truncated,
  scanned,
  skippedBinary,
  unreadable,
  tooDeep,
  unreadRules,
}: ContentSearchOutcome): string {
  const skipped = [
    ...(skippedBinary > 0 ? [`${skippedBinary} binary`] : []),
    ...(unreadable > 0 ? [`${unreadable} unreadable`] : []),
  ];
  const head = `${matches.length} matches in ${scanned} files${skipped.length > 0 ? `; skipped: ${skipped.join(', ')}` : ''}.`;
  const deep =
    tooDeep > 0
      ? [`[${tooDeep} directories are more than 256 levels down and were not searched.]`]
      : [];
  const note = unreadRulesNote(unreadRules) ?? [];
  const more = truncated ? ['[There may be more: narrow path or glob, or raise maxResults.]'] : [];
  return [head, note, deep, ...matches.map(shown), more].flat().join('\n');
}

function shown({ path: exact, line, column, text, before = [], after = [] }: ContentMatch): string {
  const path = shownName(exact);
  const beside = (lines: readonly string[], first: number) =>
    lines.map((each, index) => `${path}-${first + index}- ${each}`);
  return [
    ...beside(before, line - before.length),
    `${path}:${line}:${column}: ${text}`,
    ...beside(after, line + 1),
  ].join('\n');
}
