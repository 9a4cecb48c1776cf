import { isJsonObject } from '../jsonrpc/envelope.ts';
import type { JsonObject } from '../jsonrpc/messages.ts';
import type { JsonSchema } from '../protocol/tools.ts';

/** A tool argument that is also sent as an HTTP header. */
export interface MirroredParam {
  /** Header name without `Mcp-Param-`. */
  readonly name: string;
  readonly path: readonly string[];
}

/**
 * The mirrored params of a tool; `problem` is the reason why the tool must not be used over HTTP.
 */
export type MirroredParams =
  | { readonly params: readonly MirroredParam[] }
  | { readonly problem: string };

/** Returns the argument at a path of member names; `undefined` when there is none. */
export function valueAt(args: unknown, path: readonly string[]): unknown {
  let value = args;
  for (const name of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

const ANNOTATION = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const TYPES = new Set<unknown>(['string', 'integer', 'boolean']);
const MAX_DEPTH = 64;

/**
 * Reads the header annotations of a tool's input schema.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters
 */
export function readMirroredParams(inputSchema: JsonSchema): MirroredParams {
  const found: Found = { params: [], names: new Set() };
  const problem = collect(inputSchema, { path: [], isReachable: true }, found);
  return problem === undefined ? { params: found.params } : { problem };
}

interface Found {
  readonly params: MirroredParam[];
  /** Header names used so far, in lower case. */
  readonly names: Set<string>;
}

interface Position {
  readonly path: readonly string[];
  /** Whether the path to this schema consists of `properties` only. */
  readonly isReachable: boolean;
}

/** Returns the first problem of an annotation in the schema and its subschemas. */
function collect(schema: unknown, position: Position, found: Found): string | undefined {
  if (position.path.length > MAX_DEPTH)
    return `its input schema is nested deeper than ${MAX_DEPTH} levels`;
  if (Array.isArray(schema))
    return firstProblem(schema.entries(), { ...position, isReachable: false }, found);
  if (!isJsonObject(schema)) return undefined;
  const problem = ANNOTATION in schema ? take(schema, position, found) : undefined;
  if (problem !== undefined) return problem;
  for (const [keyword, value] of Object.entries(schema)) {
    const below =
      keyword === 'properties' && isJsonObject(value)
        ? firstProblem(Object.entries(value), position, found)
        : collectOutside(keyword, value, { position, found });
    if (below !== undefined) return below;
  }
  return undefined;
}

/**
 * Reports annotations in subschemas other than properties. Skips keywords whose values are data.
 */
function collectOutside(
  keyword: string,
  value: unknown,
  { position, found }: { readonly position: Position; readonly found: Found },
): string | undefined {
  if (
    keyword === 'default' ||
    keyword === 'const' ||
    keyword === 'enum' ||
    keyword === 'examples' ||
    typeof value !== 'object'
  )
    return undefined;
  const below = { path: [...position.path, keyword], isReachable: false };
  return NAMED_SCHEMAS.has(keyword) && isJsonObject(value)
    ? firstProblem(Object.entries(value), below, found)
    : collect(value, below, found);
}

/** Keywords whose values map names to schemas. */
const NAMED_SCHEMAS = new Set(['patternProperties', '$defs', 'definitions', 'dependentSchemas']);

function firstProblem(
  entries: Iterable<readonly [string | number, unknown]>,
  position: Position,
  found: Found,
): string | undefined {
  for (const [name, schema] of entries) {
    const problem = collect(schema, { ...position, path: [...position.path, String(name)] }, found);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function take(
  schema: JsonObject,
  { path, isReachable }: Position,
  { params, names }: Found,
): string | undefined {
  const name = schema[ANNOTATION];
  const subject = `${ANNOTATION} at ${path.length === 0 ? 'the root' : path.join('.')}`;
  if (typeof name !== 'string' || !TOKEN.test(name)) return `${subject} is not a header name`;
  if (!isReachable || path.length === 0)
    return `${subject} is not on a property that only properties lead to`;
  if (!TYPES.has(schema.type))
    return `${subject} is on a parameter that is not a string, integer or boolean`;
  if (names.has(name.toLowerCase())) return `${subject} repeats the name ${name}`;
  names.add(name.toLowerCase());
  params.push({ name, path });
  return undefined;
}
