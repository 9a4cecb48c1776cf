import type { JsonObject } from '../../jsonrpc/messages.ts';
import { LocalError } from '../../protocol/errors.ts';
import type { TaskSupport } from '../../protocol/tasks.ts';
import type { CallToolResult, JsonSchema, Tool } from '../../protocol/tools.ts';
import { type MirroredParam, readMirroredParams } from '../../schema/mirrored-params.ts';
import {
  EvaluationUnavailableError,
  type SchemaEvaluator,
  WorkerEvaluator,
} from '../../schema/schema-evaluator.ts';
import type { ClientOptions } from '../client-options.ts';
import { mirrorParams } from './param-headers.ts';

interface KnownTool {
  readonly outputSchema: JsonSchema | undefined;
  readonly mirrored: readonly MirroredParam[];
  readonly task: TaskSupport;
}

const NONE: readonly MirroredParam[] = [];

/**
 * What the last list said of each tool: which arguments travel as headers, and what its results must look like. A schema is evaluated with results only, so
 * one that cannot be used does not harm the list.
 */
export class KnownTools {
  readonly #options: ClientOptions;
  readonly #evaluator: SchemaEvaluator;
  readonly #tools = new Map<string, KnownTool>();
  readonly #unusable = new WeakSet<JsonSchema>();
  /** Whether the list has not changed since it was read. */
  #isCurrent = true;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#evaluator = options.schemaEvaluator ?? new WorkerEvaluator();
  }

  /** Replaces what was known. Returns the tools that can be used over this transport, and reports the others. */
  learn(tools: readonly Tool[], isHttp: boolean): readonly Tool[] {
    this.#tools.clear();
    this.#isCurrent = true;
    return tools.filter((tool) => {
      const read = isHttp ? readMirroredParams(tool.inputSchema) : { params: NONE };
      if ('problem' in read) {
        this.#report(`Tool ${tool.name} is left out of the list: ${read.problem}`);
        return false;
      }
      this.#tools.set(tool.name, {
        outputSchema: tool.outputSchema,
        mirrored: read.params,
        task: tool.task ?? 'never',
      });
      return true;
    });
  }

  forget(): void {
    this.#tools.clear();
  }

  /** The list has changed: results are not judged by what it said, until it is read again. The rest is corrected by the server. */
  changed(): void {
    this.#isCurrent = false;
  }

  /** `undefined` when no argument travels as a header, or the tool is not known. */
  headersOf(name: string, args: JsonObject): { readonly [name: string]: string } | undefined {
    const mirrored = this.#tools.get(name)?.mirrored ?? NONE;
    return mirrored.length === 0 ? undefined : mirrorParams(mirrored, args);
  }

  /** `undefined` when the tool is not known. */
  taskSupport(name: string): TaskSupport | undefined {
    return this.#tools.get(name)?.task;
  }

  /** Whether results of this tool must be checked. */
  hasOutputSchema(name: string): boolean {
    return this.#options.outputValidation !== 'off' && this.#outputSchema(name) !== undefined;
  }

  /** The result, unless it does not fit and the policy is to reject it. @throws LocalError `invalid-response` */
  checkOutput(name: string, result: CallToolResult): CallToolResult | Promise<CallToolResult> {
    const outputSchema = this.#outputSchema(name);
    if (outputSchema === undefined || result.isError === true) return result;
    if (!('structuredContent' in result)) return this.#judge(name, result, ['It has none.']);
    if (this.#unusable.has(outputSchema)) return result;
    try {
      const problems = this.#evaluator.check(outputSchema, result.structuredContent);
      if (!(problems instanceof Promise)) return this.#judge(name, result, problems);
      return problems.then(
        (found) => this.#judge(name, result, found),
        (error: unknown) => this.#uncheckable(name, outputSchema, { error, result }),
      );
    } catch (error) {
      if (error instanceof LocalError) throw error;
      return this.#uncheckable(name, outputSchema, { error, result });
    }
  }

  #outputSchema(name: string): JsonSchema | undefined {
    return this.#isCurrent ? this.#tools.get(name)?.outputSchema : undefined;
  }

  #judge(name: string, result: CallToolResult, problems: readonly string[]): CallToolResult {
    if (problems.length === 0) return result;
    const message = `The structured content of tool ${name} does not fit its output schema: ${problems.join(' ')}`;
    if (this.#options.outputValidation !== 'report')
      throw new LocalError('invalid-response', message, { sent: true });
    this.#report(message);
    return result;
  }

  /** A schema that cannot be used is reported once, and its tool's results are not checked. An evaluator that is not available is asked again. */
  #uncheckable(
    name: string,
    schema: JsonSchema,
    { error, result }: { readonly error: unknown; readonly result: CallToolResult },
  ): CallToolResult {
    if (error instanceof EvaluationUnavailableError) {
      this.#report(`A result of tool ${name} is not checked against its output schema`, error);
    } else if (!this.#unusable.has(schema)) {
      this.#unusable.add(schema);
      this.#report(
        `The output schema of tool ${name} cannot be used, so its results are not checked`,
        error,
      );
    }
    return result;
  }

  #report(message: string, cause?: unknown): void {
    this.#options.onProblem?.(new Error(message, cause === undefined ? undefined : { cause }));
  }
}
