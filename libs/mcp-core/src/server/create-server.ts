import { inspect } from 'node:util';
import type { JsonRpcRequest } from '../jsonrpc/messages.ts';
import type { Reply } from '../jsonrpc/peer.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import type { LoggingLevel } from '../protocol/capabilities.ts';
import { Changes } from './change-hub.ts';
import { Connection, type ConnectionContext } from './connection.ts';
import { handleRequest } from './handle-request.ts';
import { indexTools } from './list-tools.ts';
import { capabilitiesOf, createMethods } from './methods.ts';
import { RequestServer } from './request-server.ts';
import { RequestStates } from './request-states.ts';
import type { RequestLink, Server, ServerConnection, ServerOptions } from './server.ts';

/**
 * A server of both eras and all revisions.
 * @throws Error when two tools share a name, a name is not 1–128 of `A–Z a–z 0–9 _ - .`, or an input schema is not of type `object`.
 */
export function createServer(options: ServerOptions): Server {
  const tools = indexTools(options.tools ?? []);
  const capabilities = capabilitiesOf(options);
  const changes = new Changes();
  const onError = guard(options.onError ?? writeToStderr);
  const methods = createMethods(options, { tools, capabilities, changes, onError });
  const requests = new RequestServer({
    info: options.info,
    methods,
    findTool: (name) => tools.get(name),
    states: new RequestStates(options.requestState),
    tasks: undefined,
    onError,
  });
  return new ConnectingServer({ options, requests, capabilities, changes, onError });
}

class ConnectingServer implements Server {
  readonly changes: Changes;
  readonly #context: ConnectionContext;
  readonly #connections = new Set<Connection>();

  constructor(context: ConnectionContext) {
    this.#context = context;
    this.changes = context.changes;
  }

  log(level: LoggingLevel, data: unknown, logger?: string): void {
    for (const connection of this.#connections) connection.log(level, data, logger);
  }

  async connect(transport: Transport): Promise<ServerConnection> {
    const connection = new Connection(this.#context, transport);
    this.#connections.add(connection);
    void connection.closed.then(() => this.#connections.delete(connection));
    await connection.start();
    return connection;
  }

  handle(request: JsonRpcRequest, link: RequestLink): Promise<Reply> {
    return handleRequest(this.#context, request, link);
  }
}

/** Reporting a failure must not become one. */
function guard(report: (error: unknown) => void): (error: unknown) => void {
  return (error) => {
    try {
      report(error);
    } catch (failure) {
      writeToStderr(failure);
    }
  };
}

function writeToStderr(error: unknown): void {
  process.stderr.write(`${inspect(error, { breakLength: Infinity }).replaceAll(/\s*\n\s*/gu, ' | ')}\n`);
}
