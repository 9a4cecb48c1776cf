import type { Client } from '../../client/client.ts';
import type { ClientOptions } from '../../client/client-options.ts';
import type { Era } from '../../era/versions.ts';
import type { JsonObject, JsonRpcMessage } from '../../jsonrpc/messages.ts';
import type { Transport } from '../../jsonrpc/transport.ts';
import type { Server } from '../../server/server.ts';
import { createContractServer, type ContractServer } from './transport-contract-server.ts';

/** A server that is being served over the transport under test. */
export interface ServedTransport {
  /** Opens a client's transport to the server. Called several times. */
  open(): Transport | Promise<Transport>;
  /** Ends all connections of the server and stops serving it. */
  close(): Promise<void>;
}

/** A client's transport whose connection reads nothing until `resume`. */
export interface StalledTransport {
  readonly transport: Transport;
  /** Begins to read what has arrived. */
  resume(): void;
}

/** Options of the transport contract. */
export interface TransportContractOptions<Serving extends ServedTransport> {
  /**
   * Opens a client's transport that does not read, such as one over a paused socket. Adds the checks
   * of backpressure, for a transport whose messages share a stream. Default: they are left out.
   */
  readonly openStalled?:
    | ((serving: Serving) => StalledTransport | Promise<StalledTransport>)
    | undefined;
}

export interface Bench extends ContractServer {
  readonly serving: ServedTransport;
  readonly openStalled: () => Promise<StalledTransport>;
  /** The transports of the clients. */
  readonly opened: readonly Transport[];
  readonly connect: (era: Era | 'auto', options?: Partial<ClientOptions>) => Promise<Client>;
}

/** Time after which a promised event counts as missing. */
const LIMIT_MS = 60_000;
const info = { name: 'transport-contract', version: '1' };

/** A check by its name. */
export type Check = readonly [name: string, run: (bench: Bench) => Promise<void>];

export interface Running<
  Serving extends ServedTransport,
> extends TransportContractOptions<Serving> {
  readonly serve: (server: Server) => Serving | Promise<Serving>;
}

export async function runCheck<Serving extends ServedTransport>(
  { serve, openStalled }: Running<Serving>,
  run: (bench: Bench) => Promise<void>,
): Promise<void> {
  const contract = await createContractServer();
  const { connectClient } = await import('../../client/index.ts');
  const serving = await serve(contract.server);
  const clients: Client[] = [];
  const opened: Transport[] = [];
  try {
    await run({
      ...contract,
      serving,
      openStalled: async () => {
        if (openStalled === undefined) throw new Error('openStalled is missing');
        const stalled = await openStalled(serving);
        opened.push(stalled.transport);
        return stalled;
      },
      opened,
      connect: async (era, options = {}) => {
        const open = async (): Promise<Transport> => {
          const transport = await serving.open();
          opened.push(transport);
          return transport;
        };
        const client = await connectClient(open, { info, era, ...options });
        clients.push(client);
        return client;
      },
    });
  } finally {
    await Promise.all(clients.map((client) => client.close()));
    await Promise.all(opened.map((transport) => transport.close()));
    await serving.close();
  }
}

/** Opens and starts a transport and records the calls of its receiver. */
export async function start(serving: ServedTransport) {
  const transport = await serving.open();
  return { transport, ...(await receive(transport)) };
}

/** Starts a transport and records the calls of its receiver. */
export async function receive(transport: Transport) {
  const calls: unknown[] = [];
  const closed = Promise.withResolvers<void>();
  const waiting = new Map<unknown, () => void>();
  await soon(
    transport.start({
      message: (value) => {
        calls.push(value);
        waiting.get((value as JsonObject).id)?.();
      },
      unreadable: (problem) => calls.push(problem),
      requestFailed: (id, error) => calls.push({ id, error }),
      inputEnded: () => void transport.close(),
      closed: () => {
        calls.push('closed');
        closed.resolve();
      },
    }),
    'start',
  );
  const response = (id: string): Promise<void> =>
    new Promise((resolve) => {
      waiting.set(id, resolve);
      if (calls.some((value) => (value as JsonObject).id === id)) resolve();
    });
  return { calls, closed: closed.promise, response };
}

/** Sends a message; an exception becomes a rejection. */
export async function send(transport: Transport, message: JsonRpcMessage): Promise<void> {
  await transport.send(message);
}

export function discover(id: string, params: JsonObject = {}): JsonRpcMessage {
  return { jsonrpc: '2.0', id, method: 'server/discover', params: { ...params, _meta: MODERN } };
}

export function call(id: string, name: string, args: JsonObject, meta: JsonObject = {}) {
  const params = { name, arguments: args, _meta: { ...MODERN, ...meta } };
  return { jsonrpc: '2.0', id, method: 'tools/call', params } as const;
}

const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': info,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Returns the outcome of the work; rejects when it takes longer than the limit. */
export async function soon<T>(work: Promise<T>, what: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new Error(`${what} took longer than ${String(LIMIT_MS / 1000)} s`));
  }, LIMIT_MS);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
