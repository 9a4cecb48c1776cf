import { costOf } from '../../jsonrpc/message-limits.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { LocalError } from '../../protocol/errors.ts';
import type { TaskSupport } from '../../protocol/tasks.ts';
import type { CallToolResult, JsonSchema, Tool } from '../../protocol/tools.ts';
import { type MirroredParam, readMirroredParams } from '../../schema/mirrored-params.ts';
import {
  EvaluationUnavailableError,
  isTemporary,
  type SchemaEvaluator,
} from '../../schema/schema-evaluator.ts';
import type { ClientOptions } from '../client-options.ts';
import { paramHeaders } from './param-headers.ts';

interface KnownTool {
  readonly outputSchema: JsonSchema | undefined;
  readonly mirrored: readonly MirroredParam[];
  readonly task: TaskSupport;
  readonly generation: number;
}

interface SchemaModule {
  readonly createSchemaEvaluator: () => SchemaEvaluator;
}

const NONE: readonly MirroredParam[] = [];
const MAX_ADDED_COST = 16 * 1024 * 1024;

/**
 * The tools of the last `tools/list`: their parameter headers, output schemas and task support. Output schemas are evaluated with results only, so an invalid
 * schema does not affect the list.
 */
export class ListedTools {
  readonly #options: ClientOptions;
  /** The default evaluator is loaded on first use: many servers declare no output schema. */
  #evaluator: SchemaEvaluator | undefined;
  readonly #tools = new Map<string, KnownTool>();
  readonly #unusable = new WeakSet<JsonSchema>();
  /** Counts the changes of the list on the server. */
  #generation = 0;
  /** Bytes of the pages that were added since the last whole list. */
  #addedCost = 0;

  readonly #loadSchemas: () => Promise<SchemaModule>;

  constructor(
    options: ClientOptions,
    loadSchemas: () => Promise<SchemaModule> = () => import('../../schema/index.ts'),
  ) {
    this.#options = options;
    this.#loadSchemas = loadSchemas;
    this.#evaluator = options.output?.evaluator;
  }

  /** Replaces the list. Returns the tools that can be used over this transport, and reports the others. */
  update(tools: readonly Tool[], carriesHeaders: boolean): readonly Tool[] {
    this.forget();
    return this.#remember(tools, carriesHeaders);
  }

  /** Adds a page of the list. Returns its usable tools. Forgets the earlier tools when the pages have more than 16 MiB, where each JSON value counts as at least 16 bytes. */
  add(tools: readonly Tool[], carriesHeaders: boolean): readonly Tool[] {
    const cost = costOf(JSON.stringify(tools));
    if (this.#addedCost + cost > MAX_ADDED_COST) this.forget();
    this.#addedCost += cost;
    return this.#remember(tools, carriesHeaders);
  }

  #remember(tools: readonly Tool[], carriesHeaders: boolean): readonly Tool[] {
    return tools.filter((tool) => {
      const read = carriesHeaders ? readMirroredParams(tool.inputSchema) : { params: NONE };
      if ('problem' in read) {
        this.#report(`Tool ${tool.name} is left out of the list: ${read.problem}`);
        return false;
      }
      this.#tools.set(tool.name, {
        outputSchema: tool.outputSchema,
        mirrored: read.params,
        task: tool.task ?? 'never',
        generation: this.#generation,
      });
      return true;
    });
  }

  forget(): void {
    this.#tools.clear();
    this.#addedCost = 0;
  }

  /** Disables output validation of each tool until it is fetched again. */
  markStale(): void {
    this.#generation += 1;
  }

  /** Returns `undefined` when the tool is unknown or has no parameter headers. */
  headersOf(name: string, args: JsonObject): { readonly [name: string]: string } | undefined {
    const mirrored = this.#tools.get(name)?.mirrored ?? NONE;
    return mirrored.length === 0 ? undefined : paramHeaders(mirrored, args);
  }

  /** Returns `undefined` when the tool is unknown. */
  taskSupport(name: string): TaskSupport | undefined {
    return this.#tools.get(name)?.task;
  }

  /** Whether results of this tool are validated. */
  hasOutputSchema(name: string): boolean {
    return this.#options.output?.validation !== 'off' && this.#outputSchema(name) !== undefined;
  }

  /** Validates structured content and returns the result. @throws LocalError `invalid-response` when `output.validation` is `reject` */
  validateOutput(name: string, result: CallToolResult): CallToolResult | Promise<CallToolResult> {
    const outputSchema = this.#outputSchema(name);
    if (outputSchema === undefined || result.isError === true) return result;
    if (!('structuredContent' in result))
      return this.#applyPolicy(name, result, ['There is no structured content.']);
    if (this.#unusable.has(outputSchema)) return result;
    try {
      const problems = this.#check(outputSchema, result.structuredContent);
      if (!(problems instanceof Promise)) return this.#applyPolicy(name, result, problems);
      return problems.then(
        (found) => this.#applyPolicy(name, result, found),
        (error: unknown) => this.#skipValidation(name, outputSchema, { error, result }),
      );
    } catch (error) {
      if (error instanceof LocalError) throw error;
      return this.#skipValidation(name, outputSchema, { error, result });
    }
  }

  #check(schema: JsonSchema, value: unknown): readonly string[] | Promise<readonly string[]> {
    return this.#evaluator === undefined
      ? this.#loadEvaluator().then((evaluator) => evaluator.check(schema, value))
      : this.#evaluator.check(schema, value);
  }

  async #loadEvaluator(): Promise<SchemaEvaluator> {
    try {
      const { createSchemaEvaluator } = await this.#loadSchemas();
      this.#evaluator ??= createSchemaEvaluator();
      return this.#evaluator;
    } catch (error) {
      throw isTemporary(error)
        ? new EvaluationUnavailableError('The schema evaluator cannot be loaded at present', {
            cause: error,
          })
        : error;
    }
  }

  #outputSchema(name: string): JsonSchema | undefined {
    const tool = this.#tools.get(name);
    return tool?.generation === this.#generation ? tool.outputSchema : undefined;
  }

  #applyPolicy(name: string, result: CallToolResult, problems: readonly string[]): CallToolResult {
    if (problems.length === 0) return result;
    const message = `The structured content of tool ${name} does not fit its output schema: ${problems.join(' ')}`;
    if (this.#options.output?.validation !== 'report')
      throw new LocalError('invalid-response', message, { sent: true });
    this.#report(message);
    return result;
  }

  /** Returns the result without validation. Reports an invalid schema once, and an unavailable evaluator each time. */
  #skipValidation(
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
    this.#options.events?.onProblem?.(
      new Error(message, cause === undefined ? undefined : { cause }),
    );
  }
}
