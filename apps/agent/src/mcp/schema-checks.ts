import { createHash } from 'node:crypto';
import { extname, join } from 'node:path';
import type { JsonObject, JsonSchema } from '@signalbox/mcp-core';
import {
  EvaluationUnavailableError,
  quickCheck,
  type SchemaEvaluator,
} from '@signalbox/mcp-core/client';
import { SchemaJobError, SchemaWorker } from '@signalbox/mcp-core/schema-worker';
import type { SchemaJob, SchemaReply } from './schema-job.ts';

/** A schema cannot be used; the message says why and begins with a verb. */
export class SchemaError extends Error {
  /** How long the thread was at it. */
  readonly spentMs: number;

  constructor(
    message: string,
    { spentMs = 0, ...options }: { readonly cause?: unknown; readonly spentMs?: number } = {},
  ) {
    super(message, options);
    this.name = 'SchemaError';
    this.spentMs = spentMs;
  }
}

const MAX_BYTES = 256 * 1024;
const MAX_DEPTH = 64;
const COMPILE_LIMIT_MS = 1000;
const CHECK_LIMIT_MS = 500;
/** Schemas of which it is known whether they can be used. */
const MAX_VERDICTS = 5000;

export interface NamedValue {
  /** Names the value in what is said of it. */
  readonly root: string;
  /** As it was read from JSON. */
  readonly value: unknown;
}

/**
 * Evaluates schemas that servers and clients wrote: at most 256 KiB, 64 levels deep, referring to nothing outside themselves. The dialect is 2020-12, or
 * draft-07 where `$schema` names it or an older one; `format` is an annotation. Ordinary values are checked at once, in bounded steps; whatever takes more is
 * left to a thread, which has half a second for it. Owners, such as servers, take turns.
 */
export class SchemaChecks {
  readonly #worker = new SchemaWorker<SchemaJob, SchemaReply>({
    // Beside this file as it was built, or as it was written.
    main: join(import.meta.dirname, `schema-worker-main${extname(import.meta.filename)}`),
    lengthOf: (job) => job.schema.length + ('value' in job ? job.value.length : 0),
  });
  /** Why a schema is unusable, by its digest; `undefined` for a usable one. */
  readonly #verdicts = new Map<string, string | undefined>();

  /** Starts the thread, so that it is there when descriptors are not. */
  start(): void {
    this.#worker.start();
  }

  close(): Promise<void> {
    return this.#worker.close('the service is shutting down');
  }

  /** Resolves with the milliseconds that it took to find out. @throws SchemaError */
  async assertUsable(owner: string, schema: JsonSchema): Promise<number> {
    const text = boundedText(schema);
    const digest = createHash('sha256').update(text).digest('base64');
    if (!this.#verdicts.has(digest)) return this.#judge(owner, text, digest);
    const known = this.#verdicts.get(digest);
    if (known !== undefined) throw new SchemaError(known);
    return 0;
  }

  /** The text for the model when arguments do not fit the schema; `undefined` when they do. At once for ordinary ones. @throws SchemaError */
  argumentProblem(
    owner: string,
    schema: JsonSchema,
    args: JsonObject,
  ): string | undefined | Promise<string | undefined> {
    if (quickCheck(schema, args) === 'fits') return undefined;
    const value = textOf(args);
    if (value === undefined)
      return 'Invalid arguments, nothing was done: they are nested too deep. Correct them and call the tool again.';
    return this.#problems(owner, { kind: 'arguments', schema: boundedText(schema), value }).then(
      ([problem]) => problem,
    );
  }

  /** What is wrong with a value, one line each. At once for ordinary ones. @throws SchemaError */
  problems(
    owner: string,
    schema: JsonSchema,
    { root, value }: NamedValue,
  ): readonly string[] | Promise<readonly string[]> {
    if (quickCheck(schema, value) === 'fits') return [];
    const text = textOf(value);
    if (text === undefined) return [`${root}: is nested too deep`];
    return this.#problems(owner, {
      kind: 'output',
      schema: boundedText(schema),
      value: text,
      root,
    });
  }

  /** For the output schemas of one server. */
  evaluatorFor(owner: string): SchemaEvaluator {
    return {
      check: (schema, value) => {
        const problems = this.problems(owner, schema, { root: 'structuredContent', value });
        return problems instanceof Promise
          ? problems.then(asSentences).catch(throwAvailability)
          : asSentences(problems);
      },
    };
  }

  async #judge(owner: string, schema: string, digest: string): Promise<number> {
    let verdict: string | undefined;
    let spentMs: number;
    try {
      const { reply, ms } = await this.#worker.run(
        owner,
        { kind: 'compile', schema },
        COMPILE_LIMIT_MS,
      );
      verdict = reply.unusable;
      spentMs = ms;
    } catch (error) {
      if (!(error instanceof SchemaJobError)) throw error;
      // What cannot be evaluated at present may be later.
      throw new SchemaError(`cannot be evaluated: ${error.message}`, {
        cause: error,
        spentMs: COMPILE_LIMIT_MS,
      });
    }
    this.#verdicts.set(digest, verdict);
    const [oldest] = this.#verdicts.keys();
    if (this.#verdicts.size > MAX_VERDICTS && oldest !== undefined) this.#verdicts.delete(oldest);
    if (verdict !== undefined) throw new SchemaError(verdict, { spentMs });
    return spentMs;
  }

  async #problems(owner: string, job: SchemaJob): Promise<readonly string[]> {
    try {
      const { reply } = await this.#worker.run(owner, job, CHECK_LIMIT_MS);
      if (reply.unusable !== undefined) throw new SchemaError(reply.unusable);
      return reply.problems;
    } catch (error) {
      if (error instanceof SchemaError) throw error;
      throw new SchemaError(
        `cannot be evaluated: ${error instanceof Error ? error.message : String(error)}`,
        { cause: error },
      );
    }
  }
}

function asSentences(problems: readonly string[]): readonly string[] {
  return problems.map((problem) => `${problem}.`);
}

/** Tells a client that the schema is not at fault where the thread is. */
function throwAvailability(error: unknown): never {
  const isTemporary =
    error instanceof SchemaError &&
    error.cause instanceof SchemaJobError &&
    error.cause.isTemporary;
  throw isTemporary ? new EvaluationUnavailableError(error.message, { cause: error }) : error;
}

/** @throws SchemaError */
function boundedText(schema: JsonSchema): string {
  if (depthOf(schema, MAX_DEPTH) > MAX_DEPTH)
    throw new SchemaError(`is nested deeper than ${String(MAX_DEPTH)} levels`);
  const text = JSON.stringify(schema);
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw new SchemaError(`is larger than ${String(MAX_BYTES / 1024)} KiB`);
  return text;
}

/** The value as JSON; `undefined` when it is nested so deep that it cannot be written. */
function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Levels of nesting; does not look deeper than `limit` levels. */
function depthOf(value: unknown, limit: number): number {
  let level: readonly unknown[] = [value];
  let depth = -1;
  for (; level.length > 0 && depth <= limit; depth += 1) {
    level = level.flatMap((part): unknown[] =>
      typeof part === 'object' && part !== null ? Object.values(part) : [],
    );
  }
  return depth;
}
