import { createHash } from 'node:crypto';
import { extname, join } from 'node:path';
import type { JsonObject, JsonSchema } from '@signalbox/mcp-core';
import { EvaluationUnavailableError, type SchemaEvaluator } from '@signalbox/mcp-core/client';
import {
  boundedSchemaText,
  quickCheck,
  SchemaJobError,
  SchemaWorker,
} from '@signalbox/mcp-core/schema';
import { messageOf } from '../text/error-text.ts';
import { isOrdinarySchema } from './ordinary-schema.ts';
import type { SchemaJob, SchemaReply } from './schema-job.ts';

/** Thrown for a schema that cannot be used. The message begins with a verb whose subject is the schema. */
export class SchemaError extends Error {
  /** Milliseconds the worker thread spent on the schema. */
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
const COMPILE_LIMIT_MS = 1000;
const CHECK_LIMIT_MS = 500;
/** Maximum number of remembered results of compiling a schema. */
const MAX_VERDICTS = 5000;

/** Limits of processor time in milliseconds. */
export interface SchemaLimits {
  /** For compiling a schema. Default: 1000. */
  readonly compileMs: number;
  /** For checking a value. Default: 500. */
  readonly checkMs: number;
}

export interface NamedValue {
  /** Name of the value in problem texts. */
  readonly root: string;
  /** A value parsed from JSON. */
  readonly value: unknown;
}

/**
 * Evaluates schemas from servers and clients: at most 256 KiB, 64 levels deep, without references to
 * other documents. The dialect is 2020-12, or draft-07 if `$schema` names it or an older draft; `format`
 * is an annotation. Ordinary values are checked synchronously in a bounded number of steps; all others
 * in a worker thread, within `checkMs` of processor time. Owners, such as servers, take turns. The thread starts with the first schema or
 * value that needs it: it takes 18 MB.
 */
export class SchemaChecks {
  readonly #limits: SchemaLimits;
  readonly #worker = new SchemaWorker<SchemaJob, SchemaReply>({
    // The extension is `.js` in a build and `.ts` in the sources.
    main: join(import.meta.dirname, `schema-worker-main${extname(import.meta.filename)}`),
    lengthOf: (job) => job.schema.length + ('value' in job ? job.value.length : 0),
  });
  /** Reasons why schemas are unusable, by digest; `undefined` for a usable schema. */
  readonly #verdicts = new Map<string, string | undefined>();

  constructor({
    compileMs = COMPILE_LIMIT_MS,
    checkMs = CHECK_LIMIT_MS,
  }: Partial<SchemaLimits> = {}) {
    this.#limits = { compileMs, checkMs };
  }

  close(): Promise<void> {
    return this.#worker.close('the service is shutting down');
  }

  /**
   * Compiles the schema and resolves with the milliseconds it took. A schema that is known or ordinary takes 0 and is not compiled.
   * @throws SchemaError
   */
  async assertUsable(owner: string, schema: JsonSchema): Promise<number> {
    const text = boundedText(schema);
    if (isOrdinarySchema(schema)) return 0;
    const digest = createHash('sha256').update(text).digest('base64');
    if (!this.#verdicts.has(digest)) return this.#judge(owner, text, digest);
    const known = this.#verdicts.get(digest);
    if (known !== undefined) throw new SchemaError(known);
    return 0;
  }

  /** Returns the error text for the model, or `undefined` for valid arguments. Synchronous for ordinary arguments. @throws SchemaError */
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

  /** Returns the problems of a value, one line each. Synchronous for ordinary values. @throws SchemaError */
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

  /** Returns the evaluator for the output schemas of one server. */
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
      const { result, ms } = await this.#worker.run(
        owner,
        { kind: 'compile', schema },
        this.#limits.compileMs,
      );
      verdict = result.unusable;
      spentMs = ms;
    } catch (error) {
      if (!(error instanceof SchemaJobError)) throw error;
      // The result is not remembered, since a later attempt may succeed.
      throw new SchemaError(`cannot be evaluated: ${error.message}`, {
        cause: error,
        spentMs: this.#limits.compileMs,
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
      const { result } = await this.#worker.run(owner, job, this.#limits.checkMs);
      if (result.unusable !== undefined) throw new SchemaError(result.unusable);
      return result.problems;
    } catch (error) {
      if (error instanceof SchemaError) throw error;
      throw new SchemaError(`cannot be evaluated: ${messageOf(error)}`, { cause: error });
    }
  }
}

function asSentences(problems: readonly string[]): readonly string[] {
  return problems.map((problem) => `${problem}.`);
}

/** Converts a temporary failure of the thread, so that the client keeps using the schema. */
function throwAvailability(error: unknown): never {
  const isTemporary =
    error instanceof SchemaError &&
    error.cause instanceof SchemaJobError &&
    error.cause.isTemporary;
  throw isTemporary ? new EvaluationUnavailableError(error.message, { cause: error }) : error;
}

/** Returns the schema as JSON text. @throws SchemaError */
function boundedText(schema: JsonSchema): string {
  let text: string;
  try {
    text = boundedSchemaText(schema, { maxParts: Infinity, maxCharacters: Infinity });
  } catch (error) {
    throw new SchemaError(messageOf(error).replace(/^The schema /, ''), { cause: error });
  }
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw new SchemaError(`is larger than ${String(MAX_BYTES / 1024)} KiB`);
  return text;
}

/** Returns the value as JSON text, or `undefined` for a value nested too deep to be serialized. */
function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
