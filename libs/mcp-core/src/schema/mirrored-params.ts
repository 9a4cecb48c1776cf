import { isJsonObject } from '../jsonrpc/envelope.ts';
import type { JsonObject } from '../jsonrpc/messages.ts';
import type { JsonSchema } from '../protocol/tools.ts';

/** An argument that travels as a header, too. */
export interface MirroredParam {
  /** Of the header, without `Mcp-Param-`. */
  readonly name: string;
  readonly path: readonly string[];
}

/** `problem` says why the tool must not be used over HTTP. */
export type MirroredParams =
  | { readonly params: readonly MirroredParam[] }
  | { readonly problem: string };

const ANNOTATION = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const TYPES = new Set<unknown>(['string', 'integer', 'boolean']);
const MAX_DEPTH = 64;

/**
 * The annotated parameters of a tool's input schema.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters
 */
export function readMirroredParams(inputSchema: JsonSchema): MirroredParams {
  const found: Found = { params: [], names: new Set() };
  const problem = collect(inputSchema, { path: [], isReachable: true }, found);
  return problem === undefined ? { params: found.params } : { problem };
}

interface Found {
  readonly params: MirroredParam[];
  /** In lower case. */
  readonly names: Set<string>;
}

interface Place {
  readonly path: readonly string[];
  /** Whether only `properties` lead here. */
  readonly isReachable: boolean;
}

/** Returns what is wrong with an annotation anywhere below. */
function collect(schema: unknown, place: Place, found: Found): string | undefined {
  if (place.path.length > MAX_DEPTH)
    return `its input schema is nested deeper than ${MAX_DEPTH} levels`;
  if (Array.isArray(schema))
    return firstProblem(schema.entries(), { ...place, isReachable: false }, found);
  if (!isJsonObject(schema)) return undefined;
  const problem = ANNOTATION in schema ? take(schema, place, found) : undefined;
  if (problem !== undefined) return problem;
  for (const [keyword, value] of Object.entries(schema)) {
    const below =
      keyword === 'properties' && isJsonObject(value)
        ? firstProblem(Object.entries(value), place, found)
        : collectOutside(keyword, value, { place, found });
    if (below !== undefined) return below;
  }
  return undefined;
}

/** Values that are data, not schemas, may hold anything. */
function collectOutside(
  keyword: string,
  value: unknown,
  { place, found }: { readonly place: Place; readonly found: Found },
): string | undefined {
  if (
    keyword === 'default' ||
    keyword === 'const' ||
    keyword === 'enum' ||
    keyword === 'examples' ||
    typeof value !== 'object'
  )
    return undefined;
  const below = { path: [...place.path, keyword], isReachable: false };
  return NAMED_SCHEMAS.has(keyword) && isJsonObject(value)
    ? firstProblem(Object.entries(value), below, found)
    : collect(value, below, found);
}

/** Their keys are names, not keywords. */
const NAMED_SCHEMAS = new Set(['patternProperties', '$defs', 'definitions', 'dependentSchemas']);

function firstProblem(
  entries: Iterable<readonly [string | number, unknown]>,
  place: Place,
  found: Found,
): string | undefined {
  for (const [name, schema] of entries) {
    const problem = collect(schema, { ...place, path: [...place.path, String(name)] }, found);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function take(
  schema: JsonObject,
  { path, isReachable }: Place,
  { params, names }: Found,
): string | undefined {
  const name = schema[ANNOTATION];
  const place = `${ANNOTATION} at ${path.length === 0 ? 'the root' : path.join('.')}`;
  if (typeof name !== 'string' || !TOKEN.test(name)) return `${place} is no header name`;
  if (!isReachable || path.length === 0)
    return `${place} is not on a property that only properties lead to`;
  if (!TYPES.has(schema.type))
    return `${place} is on a parameter that is no string, integer or boolean`;
  if (names.has(name.toLowerCase())) return `${place} repeats the name ${name}`;
  names.add(name.toLowerCase());
  params.push({ name, path });
  return undefined;
}
