import type { JsonObject } from '../jsonrpc/messages.ts';
import { LocalError } from '../protocol/errors.ts';
import type { TaskSupport } from '../protocol/tasks.ts';
import type { CallToolResult, JsonSchema, Tool } from '../protocol/tools.ts';
import { type MirroredParam, readMirroredParams } from '../schema/mirrored-params.ts';
import { type SchemaCheck, SchemaValidator } from '../schema/schema-validator.ts';
import type { ClientOptions } from './client-options.ts';
import { mirrorParams } from './param-headers.ts';

interface KnownTool {
  readonly outputSchema: JsonSchema | undefined;
  readonly mirrored: readonly MirroredParam[];
  readonly task: TaskSupport;
}

const NONE: readonly MirroredParam[] = [];
/** For compiling a schema the server wrote, and for each check that it makes long. */
const MAX_CHECK_MS = 500;

/**
 * What the last list said of each tool: which arguments travel as headers, and what its results must look like. A schema is compiled by the first result,
 * so one that cannot be used does not harm the list.
 */
export class KnownTools {
  readonly #options: ClientOptions;
  readonly #validator = new SchemaValidator({ timeLimitMs: MAX_CHECK_MS });
  readonly #tools = new Map<string, KnownTool>();
  readonly #unusable = new WeakSet<JsonSchema>();
  /** Whether the list has not changed since it was read. */
  #isCurrent = true;

  constructor(options: ClientOptions) {
    this.#options = options;
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
      this.#tools.set(tool.name, { outputSchema: tool.outputSchema, mirrored: read.params, task: tool.task ?? 'never' });
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
    const check = this.#validator.compiled(outputSchema);
    return check === undefined ? this.#compile(name, outputSchema).then((compiled) => this.#judge(name, result, compiled)) : this.#judge(name, result, check);
  }

  #outputSchema(name: string): JsonSchema | undefined {
    return this.#isCurrent ? this.#tools.get(name)?.outputSchema : undefined;
  }

  #judge(name: string, result: CallToolResult, check: SchemaCheck | undefined): CallToolResult {
    if (check === undefined) return result;
    const problems = 'structuredContent' in result ? check(result.structuredContent) : ['It has none.'];
    if (problems.length === 0) return result;
    const message = `The structured content of tool ${name} does not fit its output schema: ${problems.join(' ')}`;
    if (this.#options.outputValidation !== 'report') throw new LocalError('invalid-response', message, { sent: true });
    this.#report(message);
    return result;
  }

  /** A schema that does not compile is reported once, and its tool's results are not checked. */
  async #compile(name: string, schema: JsonSchema): Promise<SchemaCheck | undefined> {
    if (this.#unusable.has(schema)) return undefined;
    try {
      return await this.#validator.compile(schema);
    } catch (error) {
      this.#unusable.add(schema);
      this.#report(`The output schema of tool ${name} cannot be used, so its results are not checked`, error);
      return undefined;
    }
  }

  #report(message: string, cause?: unknown): void {
    this.#options.onProblem?.(new Error(message, cause === undefined ? undefined : { cause }));
  }
}
