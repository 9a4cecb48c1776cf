import type { CallToolResult, JsonObject } from '@signalbox/mcp-core';
import type { ToolSpec } from '../../ports/llm-provider.ts';
import type { CatalogueTool } from '../../ports/tool-catalogue.ts';
import { closestNames } from '../text/closest-names.ts';
import { rankTools } from './rank-tools.ts';

/** Names of our own tools. Names of server tools contain `__`, so they cannot collide. */
export const FIND_TOOLS = 'find_tools';
export const CALL_TOOL = 'call_tool';

/** Longest query in characters: the time and memory of a search grow with the length of its words. */
const MAX_QUERY = 200;
const DEFAULT_LIMIT = 8;
const MAX_LIMIT = 25;
/** Longest search result, in characters. */
const MAX_CHARACTERS = 32_000;
const MAX_DESCRIPTION = 1000;
const MAX_SCHEMA = 6000;
const MAX_SERVERS_NAMED = 30;

/**
 * Returns the two tools by which a model finds and calls tools without a definition in its prompt.
 */
export function discoverySpecs(others: readonly CatalogueTool[]): readonly ToolSpec[] {
  return [
    {
      name: FIND_TOOLS,
      description: `Finds tools by what they do, in words of their names and descriptions, also those that were added after the conversation began. ${coverage(others)}The answer has their names, descriptions and input schemas; call them with ${CALL_TOOL}. A query that is the whole name of a tool gives that tool alone and in full.`,
      inputSchema: {
        type: 'object',
        properties: {
          query: { type: 'string', description: 'A few words, or the whole name of a tool' },
          server: { type: 'string', description: 'Only the tools of this server' },
          limit: {
            type: 'integer',
            minimum: 1,
            maximum: MAX_LIMIT,
            description: `Default ${DEFAULT_LIMIT}`,
          },
        },
        required: ['query'],
        additionalProperties: false,
      },
    },
    {
      name: CALL_TOOL,
      description: `Calls a tool that ${FIND_TOOLS} found. Tools that you were given are called directly.`,
      inputSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', description: `The name, as ${FIND_TOOLS} gave it` },
          arguments: {
            type: 'object',
            description: 'Arguments that conform to the input schema of the tool',
            additionalProperties: true,
          },
        },
        required: ['name'],
        additionalProperties: false,
      },
    },
  ];
}

/**
 * Searches the tools. Returns the result for the model, or a text that says why the arguments are
 * invalid.
 */
export async function findTools(
  args: JsonObject,
  tools: readonly CatalogueTool[],
): Promise<CallToolResult | string> {
  const { query, server, limit = DEFAULT_LIMIT } = args;
  if (typeof query !== 'string' || query.trim() === '')
    return 'query: must be a few words, or the name of a tool';
  if (server !== undefined && typeof server !== 'string')
    return 'server: must be the name of a server';
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1)
    return `limit: must be a whole number from 1 to ${MAX_LIMIT}`;
  const candidates = tools.filter((tool) => server === undefined || tool.server === server);
  if (candidates.length === 0)
    return server === undefined
      ? 'There are no tools at present.'
      : `There is no server ${JSON.stringify(server)} with tools. ${coverage(tools)}`.trim();
  const named = candidates.find(({ wireName }) => wireName === query.trim());
  if (named !== undefined) return textResult(describe(named, Infinity));
  if (query.length > MAX_QUERY) return `query: must have at most ${MAX_QUERY} characters`;
  const found = await rankTools(query, candidates);
  if (found.length === 0) return textResult(nothingFound(query, candidates));
  return textResult(listing(found.slice(0, Math.min(limit, MAX_LIMIT)), found.length));
}

function listing(shown: readonly CatalogueTool[], found: number): string {
  const lines: string[] = [];
  let room = MAX_CHARACTERS;
  for (const tool of shown) {
    const line = describe(tool, MAX_SCHEMA);
    room -= line.length;
    lines.push(room < 0 ? JSON.stringify({ name: tool.wireName }) : line);
  }
  const more = found > shown.length ? ` ${found - shown.length} more fit less well.` : '';
  return `${shown.length} of ${found} tools that fit, the best first.${more} Call one with ${CALL_TOOL} {"name": …, "arguments": …}.\n${lines.join('\n')}`;
}

function describe(
  { wireName, title, description, inputSchema }: CatalogueTool,
  maxSchema: number,
): string {
  const text =
    description.length > MAX_DESCRIPTION && maxSchema !== Infinity
      ? `${description.slice(0, MAX_DESCRIPTION)}…`
      : description;
  const fits = JSON.stringify(inputSchema).length <= maxSchema;
  const schema = fits
    ? { input_schema: inputSchema }
    : { input_schema: `too long to be shown here: ask ${FIND_TOOLS} for ${wireName} alone` };
  return JSON.stringify({
    name: wireName,
    ...(title === undefined ? {} : { title }),
    description: text,
    ...schema,
  });
}

function nothingFound(query: string, tools: readonly CatalogueTool[]): string {
  const near = closestNames(
    query,
    tools.map(({ wireName }) => wireName),
  );
  return `No tool has a word of this query.${near.length === 0 ? '' : ` Close names: ${near.join(', ')}.`} ${coverage(tools)}Try other words.`;
}

/** Lists the servers and their number of tools: `Tools by server: files (12), shop (480). ` */
function coverage(tools: readonly CatalogueTool[]): string {
  const counts = [...Map.groupBy(tools, ({ server }) => server)]
    .map(([server, ofServer]) => `${server} (${ofServer.length})`)
    .toSorted();
  if (counts.length === 0) return '';
  const more =
    counts.length > MAX_SERVERS_NAMED
      ? ` and ${counts.length - MAX_SERVERS_NAMED} servers more`
      : '';
  return `Tools by server: ${counts.slice(0, MAX_SERVERS_NAMED).join(', ')}${more}. `;
}

function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}
