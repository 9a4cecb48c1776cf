import { assertCustomMethod, assertCustomNotification } from '../../era/specified-methods.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { ErrorCode, LocalError, ProtocolError } from '../../protocol/errors.ts';
import type { JsonSchema } from '../../protocol/tools.ts';
import { SchemaValidator } from '../../schema/schema-validator.ts';
import type { SchemaOutput, StandardSchema } from '../../schema/standard-schema.ts';
import { createReader } from '../../schema/value-reader.ts';
import type { InputContext } from '../input/input-handlers.ts';

/** A request of a legacy server that the specification does not define. */
export interface ClientMethodDefinition<Params = never> {
  /**
   * JSON Schema, or a Standard Schema. Params are validated, without their `_meta`, before the
   * handler runs; params that do not fit get -32602. Default: any params.
   */
  readonly params?: JsonSchema | StandardSchema;
  /** Serves one request. A `ProtocolError` reaches the server; any other error becomes -32603 and is reported to `onProblem`. */
  readonly handler: (params: Params, context: InputContext) => Promise<JsonObject> | JsonObject;
}

/** Defines a custom method of a client. Infers the handler's params from the schema. */
export function defineClientMethod<
  const Schema extends JsonSchema | StandardSchema = { type: 'object' },
>(
  method: Omit<ClientMethodDefinition<SchemaOutput<Schema>>, 'params'> & {
    readonly params?: Schema;
  },
): ClientMethodDefinition {
  return method;
}

/** @throws LocalError `invalid-argument` when a custom method or notification has a name of the specification */
export function assertCustomNames({
  methods = {},
  notifications = {},
}: {
  readonly methods?: object | undefined;
  readonly notifications?: object | undefined;
} = {}): void {
  for (const name of Object.keys(methods)) assertCustomMethod(name);
  for (const name of Object.keys(notifications)) assertCustomNotification(name);
}

/** @throws LocalError `invalid-argument` for a request that only the client itself sends */
export function assertRequestable(method: string): void {
  const instead = OWN_REQUESTS.get(method);
  if (instead !== undefined)
    throw new LocalError('invalid-argument', `${method} cannot be requested: ${instead}.`);
}

const OWN_REQUESTS: ReadonlyMap<string, string> = new Map([
  ['initialize', 'connectClient sends it'],
  ['subscriptions/listen', 'use watch'],
]);

const validator = new SchemaValidator();

/** Runs the handler of a custom method. @throws ProtocolError -32602 for params that do not fit its schema */
export async function serveCustomMethod(
  { params: schema = { type: 'object' }, handler }: ClientMethodDefinition,
  { _meta, ...params }: JsonObject,
  context: InputContext,
): Promise<JsonObject> {
  const { problems, value } = await createReader(schema, validator)(params);
  if (problems !== undefined)
    throw new ProtocolError(ErrorCode.invalidParams, `Invalid params: ${problems.join(' ')}`);
  return handler(value as never, context);
}

/** Reads the result of a custom request. @throws LocalError `invalid-response` when it does not fit the schema */
export async function readCustomResult(
  method: string,
  { _meta, ...result }: JsonObject,
  schema: JsonSchema | StandardSchema,
): Promise<unknown> {
  const { problems, value } = await createReader(schema, validator)(result);
  if (problems !== undefined)
    throw new LocalError(
      'invalid-response',
      `The server's result of ${method} does not fit its schema: ${problems.join(' ')}`,
      { sent: true },
    );
  return value;
}
