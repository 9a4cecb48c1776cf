import { assertCustomMethod, assertCustomNotification } from '../../era/specified-methods.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { ErrorCode, ProtocolError } from '../../protocol/errors.ts';
import type { JsonSchema } from '../../protocol/tools.ts';
import { SchemaValidator } from '../../schema/schema-validator.ts';
import type { SchemaOutput, StandardSchema } from '../../schema/standard-schema.ts';
import { createReader } from '../../schema/value-reader.ts';
import type { LegacySession } from '../connection/legacy-session.ts';
import { HandlerContext } from '../requests/handler-context.ts';
import type { Method } from '../requests/method.ts';
import type { RequestContext } from '../requests/request-context.ts';

/** A method that the specification does not define. */
export interface MethodDefinition<Params = never> {
  /**
   * JSON Schema, or a Standard Schema. Params are validated, without their `_meta`, before the
   * handler runs; params that do not fit get -32602. Default: any params.
   */
  readonly params?: JsonSchema | StandardSchema;
  /**
   * Serves one request; requests run concurrently. A `ProtocolError` reaches the client; any other
   * error becomes -32603 and is reported to `ServerEvents.onError`.
   */
  readonly handler: (params: Params, context: RequestContext) => Promise<JsonObject> | JsonObject;
}

/** Defines a custom method. Infers the handler's params from the schema. */
export function defineMethod<const Schema extends JsonSchema | StandardSchema = { type: 'object' }>(
  method: Omit<MethodDefinition<SchemaOutput<Schema>>, 'params'> & { readonly params?: Schema },
): MethodDefinition {
  return method;
}

/**
 * Receives a custom notification; `session` is the legacy session that sent it, `method` its name. Its failure is
 * reported to `ServerEvents.onError`.
 */
export type NotificationHandler = (
  params: JsonObject,
  session: LegacySession | undefined,
  method: string,
) => unknown;

/** @throws Error for a name that the specification has. */
export function createCustomMethods(
  definitions: { readonly [name: string]: MethodDefinition } = {},
): ReadonlyMap<string, Method> {
  const entries = Object.entries(definitions);
  for (const [name] of entries) assertCustomMethod(name);
  const validator = new SchemaValidator();
  return new Map(
    entries.map(([name, definition]) => [name, toMethod(name, definition, validator)]),
  );
}

/** @throws Error for a name that the specification has. */
export function createNotificationHandlers(
  handlers: { readonly [name: string]: NotificationHandler } = {},
): ReadonlyMap<string, NotificationHandler> {
  const entries = Object.entries(handlers);
  for (const [name] of entries) assertCustomNotification(name);
  return new Map(entries);
}

function toMethod(
  name: string,
  { params: schema = { type: 'object' }, handler }: MethodDefinition,
  validator: SchemaValidator,
): Method {
  const read = createReader(schema, validator);
  return async (request) => {
    const { _meta, ...params } = request.params;
    const { problems, value } = await read(params);
    if (problems !== undefined)
      throw new ProtocolError(
        ErrorCode.invalidParams,
        `Invalid params for ${name}: ${problems.join(' ')}`,
      );
    return handler(value as never, new HandlerContext(request));
  };
}
