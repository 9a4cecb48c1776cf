import { decodeHeaderValue } from '../headers/header-value.ts';
import { mcpNameOf } from '../headers/mcp-name.ts';
import { isJsonObject } from '../../jsonrpc/envelope.ts';
import type { JsonRpcRequest } from '../../jsonrpc/messages.ts';
import { shorten } from '../../protocol/errors.ts';
import type { JsonSchema } from '../../protocol/tools.ts';
import { readMirroredParams, valueAt, type MirroredParam } from '../../schema/mirrored-params.ts';
import { headerOf, type HttpHeaders } from '../headers/http-headers.ts';

const NONE: readonly MirroredParam[] = [];

/**
 * Compares the header fields of a modern request with its body: `Mcp-Method`, `Mcp-Name` and the
 * `Mcp-Param-*` of a called tool's input schema. Reads the annotations of each schema once.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation
 */
export class MirroredHeaders {
  readonly #inputSchemaOf: (tool: string) => JsonSchema | undefined;
  readonly #parameters = new WeakMap<JsonSchema, readonly MirroredParam[]>();

  constructor(inputSchemaOf: (tool: string) => JsonSchema | undefined) {
    this.#inputSchemaOf = inputSchemaOf;
  }

  /** Describes the first field that contradicts the body; `undefined` when all agree. */
  mismatch({ method, params }: JsonRpcRequest, headers: HttpHeaders): string | undefined {
    const mirroredMethod = headerOf(headers, 'mcp-method');
    if (mirroredMethod !== method) return describe('Mcp-Method', mirroredMethod, method);
    const name = mcpNameOf(method, params);
    const encodedName = headerOf(headers, 'mcp-name');
    if (
      name !== undefined &&
      (encodedName === undefined || decodeHeaderValue(encodedName) !== name)
    )
      return describe('Mcp-Name', encodedName, name);
    return method === 'tools/call' && name !== undefined
      ? this.#mismatchOfParameters(name, params?.arguments, headers)
      : undefined;
  }

  #mismatchOfParameters(tool: string, args: unknown, headers: HttpHeaders): string | undefined {
    for (const { name, path } of this.#parametersOf(tool)) {
      const header = `Mcp-Param-${name}`;
      const value = valueAt(args, path);
      const encoded = headerOf(headers, header.toLowerCase());
      if (!isMirrored(value, encoded)) return describe(header, encoded, textOf(value));
    }
    return undefined;
  }

  #parametersOf(tool: string): readonly MirroredParam[] {
    const schema = this.#inputSchemaOf(tool);
    if (schema === undefined) return NONE;
    let parameters = this.#parameters.get(schema);
    if (parameters === undefined) {
      const mirrored = readMirroredParams(schema);
      parameters = 'params' in mirrored ? mirrored.params : NONE;
      this.#parameters.set(schema, parameters);
    }
    return parameters;
  }
}

/**
 * Whether a header field has the value of the body. Numbers are compared as numbers; values that
 * are not primitive are left to the schema.
 */
function isMirrored(value: unknown, encoded: string | undefined): boolean {
  if (value === undefined || value === null) return encoded === undefined;
  if (encoded === undefined) return false;
  const text = decodeHeaderValue(encoded);
  switch (typeof value) {
    case 'string':
      return text === value;
    case 'boolean':
      return text === String(value);
    case 'number':
      return text !== undefined && /^-?\d+(?:\.\d+)?$/u.test(text) && Number(text) === value;
    default:
      return true;
  }
}

/**
 * Returns the expected text of a header for an error message; a value that is not primitive may be
 * too deep to serialize.
 */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return isJsonObject(value) || Array.isArray(value)
    ? 'a value that no header can have'
    : JSON.stringify(value);
}

function describe(header: string, given: string | undefined, expected: string | undefined): string {
  const has = given === undefined ? 'is missing' : `is '${shorten(given)}'`;
  return expected === undefined
    ? `Header mismatch: ${header} ${has}, but the body has no such value`
    : `Header mismatch: ${header} ${has}, but the body has '${shorten(expected)}'`;
}
