import { ErrorCode, type JsonObject, ProtocolError, ToolError } from '@signalbox/mcp-core';
import {
  serializedLength,
  type ServerMiddleware,
  type ServerRequest,
} from '@signalbox/mcp-core/server';

/** Default limit of a result, in bytes of JSON. */
export const defaultMaxResultBytes = 1024 * 1024;

/** A method whose results can be limited. */
export type LimitedMethod = 'tools/call' | 'prompts/get' | 'resources/read';

/** The longest result, and the advice for calls that exceed it. */
export interface ResultLimit {
  /** Maximum number of bytes of a result as JSON; default 1 MiB. */
  readonly maxBytes?: number | undefined;
  /** Advice in the error for a result that is too large; default: general advice. */
  readonly advice?: string | undefined;
  /** The methods whose results are limited; default: all. Leave out those whose handlers keep to a limit: the size of a long result takes time. */
  readonly methods?: readonly LimitedMethod[] | undefined;
}

/** The member of their params that names the subject. */
const SUBJECTS: { readonly [Method in LimitedMethod]: string } = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};
const ALL = Object.keys(SUBJECTS) as readonly LimitedMethod[];
const MAX_NAME_CHARACTERS = 200;

/**
 * Returns middleware that limits the results of `tools/call`, `prompts/get` and `resources/read`:
 * hosts close a connection after a line of 10 MiB, and a model cannot use such a result. A larger
 * result becomes an error with its size, of a tool a result with `isError`. Tools that can return
 * their results in pages do so themselves.
 */
export function limitResults({
  maxBytes = defaultMaxResultBytes,
  advice = 'Ask for less.',
  methods = ALL,
}: ResultLimit = {}): ServerMiddleware {
  const limited: ReadonlySet<string> = new Set(methods);
  return async (request, next) => {
    const result = await next();
    if (!limited.has(request.method)) return result;
    // The second bound looks at the characters, and so costs more.
    if (sizeAtMost(result, quickBound) <= maxBytes || sizeAtMost(result, bound) <= maxBytes)
      return result;
    const bytes = Buffer.byteLength(JSON.stringify(result));
    if (bytes <= maxBytes) return result;
    const text = `The result of ${subjectOf(request)} would be ${bytes} bytes of JSON; at most ${maxBytes} are sent. ${advice}`;
    throw request.method === 'tools/call'
      ? new ToolError(text)
      : new ProtocolError(ErrorCode.internalError, text);
  };
}

function subjectOf({ method, params }: ServerRequest): string {
  const name = params[SUBJECTS[method as LimitedMethod]];
  return typeof name === 'string' ? name.slice(0, MAX_NAME_CHARACTERS) : method;
}

/** Returns an upper limit of the JSON size of a value without serializing it. */
function sizeAtMost(value: unknown, boundOf: (text: string) => number): number {
  if (typeof value === 'string') return boundOf(value);
  if (typeof value !== 'object' || value === null) return 25;
  const serialized = serializedLength(value);
  // A text block has a type besides its text.
  if (serialized !== undefined) return serialized + 25;
  let size = 2;
  if (Array.isArray(value)) {
    for (const member of value as readonly unknown[]) size += 1 + sizeAtMost(member, boundOf);
    return size;
  }
  for (const [name, member] of Object.entries(value as JsonObject))
    size += name.length * 6 + 4 + sizeAtMost(member, boundOf);
  return size;
}

/** A character takes at most six bytes. */
function quickBound(text: string): number {
  return text.length * 6 + 2;
}

/** Only control characters other than tabs and line ends take six bytes; a lone surrogate counts as three. */
function bound(text: string): number {
  // eslint-disable-next-line no-control-regex -- these are the characters in question.
  const isEscapedLong = /[\u0000-\u0007\u000b\u000e-\u001f]/.test(text);
  return isEscapedLong ? quickBound(text) : Buffer.byteLength(text) * 2 + 2;
}
