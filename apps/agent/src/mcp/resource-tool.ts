import type {
  CallToolResult,
  ContentBlock,
  JsonObject,
  ResourceContents,
} from '@signalbox/mcp-core';
import type { ServerConfig } from '../config/config.ts';
import type { Catalogue, CatalogueEntry } from './catalogue.ts';
import { definitionParts } from './definition-parts.ts';
import { matchesPattern } from '../text/name-patterns.ts';
import { READ_RESOURCE, wireName } from './tool-names.ts';

const MAX_URI = 8192;
const HINTS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
} as const;

/**
 * Adds the tool that reads resources to a server with resources, if the server's patterns allow it.
 */
export function withResourceTool(server: ServerConfig, catalogue: Catalogue): Catalogue {
  const entry = resourceEntry(server);
  const matches = (pattern: string): boolean => matchesPattern(READ_RESOURCE, pattern);
  const isOffered =
    (server.allow.length === 0 || server.allow.some(matches)) && !server.deny.some(matches);
  if (!isOffered || catalogue.entries.has(entry.tool.wireName)) return catalogue;
  return { ...catalogue, entries: new Map([...catalogue.entries, [entry.tool.wireName, entry]]) };
}

/** Converts the contents of a resource into a tool result: texts as text, everything else as an embedded resource. */
export function resourceResult(contents: readonly ResourceContents[]): CallToolResult {
  const content = contents.map((each): ContentBlock =>
    'text' in each && typeof each.text === 'string'
      ? { type: 'text', text: each.text }
      : { type: 'resource', resource: each },
  );
  return {
    content: content.length === 0 ? [{ type: 'text', text: '(the resource is empty)' }] : content,
  };
}

function resourceEntry(server: ServerConfig): CatalogueEntry {
  const definition: JsonObject = {
    description: `Reads a resource of the server ${server.name}: a resource_link in a result of its tools, or another URI that the server names.`,
    inputSchema: {
      type: 'object',
      properties: {
        uri: { type: 'string', description: 'The URI of the resource, as the server wrote it' },
      },
      required: ['uri'],
      additionalProperties: false,
    },
    annotations: { ...HINTS },
  };
  return {
    isResourceReader: true,
    definition,
    parts: definitionParts(definition),
    validate: problemOf,
    tool: {
      wireName: wireName(server.name, READ_RESOURCE),
      server: server.name,
      name: READ_RESOURCE,
      description: String(definition['description']),
      inputSchema: definition['inputSchema'] as JsonObject,
      annotations: HINTS,
      trusted: server.trust,
    },
  };
}

function problemOf({ uri, ...others }: JsonObject): string | undefined {
  const [other] = Object.keys(others);
  if (typeof uri !== 'string' || uri === '') return 'uri: must be the URI of a resource';
  if (uri.length > MAX_URI) return `uri: must have at most ${MAX_URI} characters`;
  return other === undefined ? undefined : `${other}: there is no such argument; there is uri`;
}
