import type {
  CallToolResult,
  ContentBlock,
  JsonObject,
  ResourceContents,
  ServerCapabilities,
} from '@signalbox/mcp-core';
import type { ServerConfig } from '../config/config.ts';
import type { Catalogue, CatalogueEntry, ResourceTool } from './catalogue.ts';
import { definitionParts } from './definition-parts.ts';
import { matchesPattern } from '../text/name-patterns.ts';
import { wireName } from '../text/wire-name.ts';
import { READ_RESOURCE, WATCH_RESOURCE } from './tool-names.ts';

/** Range and default of `seconds`, the longest wait for a change. */
export const WATCH_SECONDS = { min: 1, max: 600, default: 60 };

const MAX_URI = 8192;
const URI = { type: 'string', description: 'The URI of the resource, as the server wrote it' };
const TOOLS: {
  readonly [T in ResourceTool]: {
    readonly name: string;
    readonly description: (server: string) => string;
    /** Arguments beside `uri`. */
    readonly properties: JsonObject;
  };
} = {
  read: {
    name: READ_RESOURCE,
    description: (server) =>
      `Reads a resource of the server ${server}: a resource_link in a result of its tools, or another URI that the server names.`,
    properties: {},
  },
  watch: {
    name: WATCH_RESOURCE,
    description: (server) =>
      `Waits until a resource of the server ${server} changes, at most \`seconds\`, and returns its contents then.`,
    properties: {
      seconds: {
        type: 'integer',
        minimum: WATCH_SECONDS.min,
        maximum: WATCH_SECONDS.max,
        default: WATCH_SECONDS.default,
      },
    },
  },
};
const HINTS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
} as const;

/** The `resources` capability of a server. */
type ResourceCapability = NonNullable<ServerCapabilities['resources']>;

/**
 * Adds the tools for the resources of a server that the server's patterns allow: one that reads, and one that follows if the server has
 * subscriptions.
 */
export function withResourceTools(
  server: ServerConfig,
  capability: ResourceCapability | undefined,
  catalogue: Catalogue,
): Catalogue {
  if (capability === undefined) return catalogue;
  const added = [
    resourceEntry(server, 'read'),
    ...(capability.subscribe === true ? [resourceEntry(server, 'watch')] : []),
  ].filter(({ tool }) => isOffered(server, tool.name) && !catalogue.entries.has(tool.wireName));
  return {
    ...catalogue,
    entries: new Map([
      ...catalogue.entries,
      ...added.map((entry) => [entry.tool.wireName, entry] as const),
    ]),
  };
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

function isOffered({ allow, deny }: ServerConfig, name: string): boolean {
  const matches = (pattern: string): boolean => matchesPattern(name, pattern);
  return (allow.length === 0 || allow.some(matches)) && !deny.some(matches);
}

function resourceEntry(server: ServerConfig, resourceTool: ResourceTool): CatalogueEntry {
  const { name, description, properties } = TOOLS[resourceTool];
  const definition: JsonObject = {
    description: description(server.name),
    inputSchema: {
      type: 'object',
      properties: { uri: URI, ...properties },
      required: ['uri'],
      additionalProperties: false,
    },
    annotations: { ...HINTS },
  };
  return {
    resourceTool,
    definition,
    parts: definitionParts(definition),
    validate: (args) => problemOf(args, properties),
    tool: {
      wireName: wireName(server.name, name),
      server: server.name,
      name,
      description: String(definition['description']),
      inputSchema: definition['inputSchema'] as JsonObject,
      annotations: HINTS,
      trusted: server.trust,
    },
  };
}

function problemOf(
  { uri, seconds, ...others }: JsonObject,
  properties: JsonObject,
): string | undefined {
  const names = ['uri', ...Object.keys(properties)];
  const { min, max } = WATCH_SECONDS;
  const [other] = [
    ...Object.keys(others),
    ...(seconds === undefined || names.includes('seconds') ? [] : ['seconds']),
  ];
  if (typeof uri !== 'string' || uri === '') return 'uri: must be the URI of a resource';
  if (uri.length > MAX_URI) return `uri: must have at most ${MAX_URI} characters`;
  if (other !== undefined)
    return `${other}: there is no such argument; there is ${names.join(' and ')}`;
  if (seconds === undefined) return undefined;
  return typeof seconds === 'number' &&
    Number.isInteger(seconds) &&
    seconds >= min &&
    seconds <= max
    ? undefined
    : `seconds: must be an integer from ${min} to ${max}`;
}
