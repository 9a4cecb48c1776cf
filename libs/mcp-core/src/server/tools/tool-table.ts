import type { Codec } from '../../era/codec.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { Implementation } from '../../protocol/implementation.ts';
import type { JsonSchema, Tool } from '../../protocol/tools.ts';
import { readMirroredParams } from '../../schema/mirrored-params.ts';
import type { SchemaValidator } from '../../schema/schema-validator.ts';
import {
  isStandardSchema,
  toJsonSchema,
  type StandardSchema,
} from '../../schema/standard-schema.ts';
import { createReader, type ValueReader } from '../../schema/value-reader.ts';
import { isScope } from '../../protocol/scopes.ts';
import { PublishedList } from '../lists/published-list.ts';
import type { ToolDefinition } from './tool.ts';

/** A tool with its schemas as JSON Schema, and the readers that validate values against them. */
export interface RegisteredTool
  extends Omit<Tool, 'task'>, Pick<ToolDefinition, 'handler' | 'scopes'> {
  readonly task: NonNullable<ToolDefinition['task']>;
  readonly readArguments: ValueReader;
  readonly readOutput: ValueReader | undefined;
}

/** Whether a call may destroy something when it is repeated; the default of the specification. */
export function isDestructive({ annotations = {} }: RegisteredTool): boolean {
  const { destructiveHint = true, readOnlyHint = false, idempotentHint = false } = annotations;
  return destructiveHint && !readOnlyHint && !idempotentHint;
}

export interface ToolTableOptions {
  readonly info: Implementation;
  readonly validator: SchemaValidator;
  readonly pageSize: number | undefined;
}

/** An immutable table of tools. */
export class ToolTable {
  readonly #tools: ReadonlyMap<string, RegisteredTool>;
  readonly #published: ReadonlyMap<string, Tool>;
  readonly #list: PublishedList;

  /** Validates the definitions. @throws Error for a name that is not 1 to 128 of `A-Z a-z 0-9 _ - .`, or not unique, for a schema that cannot be published, and for a scope that no token can have. */
  constructor(
    definitions: readonly ToolDefinition[],
    { info, validator, pageSize }: ToolTableOptions,
  ) {
    const tools = new Map<string, RegisteredTool>();
    for (const definition of definitions) {
      const { name } = definition;
      if (!/^[\w.-]{1,128}$/u.test(name))
        throw new Error(`Invalid tool name ${JSON.stringify(name)}`);
      if (tools.has(name)) throw new Error(`Two tools are named ${name}`);
      tools.set(name, register(definition, validator));
    }
    this.#tools = tools;
    this.#published = new Map([...tools].map(([name, tool]) => [name, publish(tool)]));
    this.#list = new PublishedList([...this.#published.values()], {
      method: 'tools/list',
      member: 'tools',
      info,
      pageSize,
    });
  }

  get(name: string): RegisteredTool | undefined {
    return this.#tools.get(name);
  }

  /** Returns a tool as it is published. */
  find(name: string): Tool | undefined {
    return this.#published.get(name);
  }

  /** @throws ProtocolError -32602 for an unknown cursor. */
  page(cursor: string | undefined, codec: Codec): JsonObject {
    return this.#list.page(cursor, codec);
  }
}

function register(definition: ToolDefinition, validator: SchemaValidator): RegisteredTool {
  const { inputSchema, outputSchema, task = 'never', ...rest } = definition;
  const badScope = definition.scopes?.find((scope) => !isScope(scope));
  if (badScope !== undefined)
    throw new Error(
      `The scope ${JSON.stringify(badScope)} of ${definition.name} is not a name of printable ASCII without space, " and \\`,
    );
  const publishedInput = toPublished(definition, inputSchema, 'input');
  if (publishedInput.type !== 'object')
    throw new Error(`The input schema of ${definition.name} must have type "object"`);
  const mirrored = readMirroredParams(publishedInput);
  if ('problem' in mirrored)
    throw new Error(`Clients would ignore the tool ${definition.name}: ${mirrored.problem}`);
  return {
    ...rest,
    task,
    inputSchema: publishedInput,
    readArguments: createReader(inputSchema, validator),
    ...(outputSchema === undefined
      ? { readOutput: undefined }
      : {
          outputSchema: toPublished(definition, outputSchema, 'output'),
          readOutput: createReader(outputSchema, validator),
        }),
  };
}

function toPublished(
  { name }: ToolDefinition,
  schema: JsonSchema | StandardSchema,
  side: 'input' | 'output',
): JsonSchema {
  if (!isStandardSchema(schema)) return schema;
  try {
    return toJsonSchema(schema, side);
  } catch (error) {
    throw new Error(
      `The ${side} schema of ${name} cannot be published: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
}

function publish({
  handler: _handler,
  readArguments: _arguments,
  readOutput: _output,
  scopes: _scopes,
  task,
  ...tool
}: RegisteredTool): Tool {
  return task === 'never' ? tool : { ...tool, task };
}
