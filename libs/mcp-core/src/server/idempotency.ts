import { isJsonObject } from '../jsonrpc/envelope.ts';
import type { JsonObject } from '../jsonrpc/messages.ts';
import { nodeCrypto } from '../jsonrpc/node-crypto.ts';
import { ErrorCode, ProtocolError } from '../protocol/errors.ts';
import type { CallToolResult } from '../protocol/tools.ts';
import type { ServedRequest } from './served-request.ts';

/** `_meta` key under which a client names a call that must not run twice. */
const KEY = 'dev.signalbox/idempotency-key';
const MAX_KEY_LENGTH = 200;

/** A call and how it ended; `undefined` when it was cancelled. */
interface Entry {
  readonly digest: string;
  readonly result: Promise<CallToolResult | undefined>;
}

interface RunningEntry extends Entry {
  readonly request: ServedRequest;
}

/** The answer to a call whose handler goes on as a task. */
export type CreatedTask = JsonObject & { readonly resultType: 'task' };

export interface KeyedCall {
  readonly key: string;
  readonly name: string;
  readonly args: JsonObject;
  /** Its principal owns the key: nobody gets the results of another. */
  readonly request: ServedRequest;
}

/**
 * Final results of finished calls by key, least recently used dropped first. A call with the key of a running one joins it, and gets the same task
 * when that one has become a task and the joiner's client has tasks; when it is cancelled the joiner runs, unless it was cancelled as well. A call that fails with a protocol error or is cancelled leaves nothing behind.
 */
export class IdempotentCalls {
  readonly #limit: number;
  readonly #running = new Map<string, RunningEntry>();
  readonly #finished = new Map<string, Entry>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  async run(call: KeyedCall, execute: () => Promise<CallToolResult>): Promise<CallToolResult | CreatedTask> {
    const { request } = call;
    const { signal } = request;
    const key = JSON.stringify([call.key, request.auth?.principal]);
    const digest = digestOf(call);
    for (let known = this.#find(key); known !== undefined; known = this.#find(key)) {
      if (known.digest !== digest) return otherArguments();
      const result = await ('request' in known && request.canBecomeTask && !known.request.isAbandoned ? join(known) : known.result);
      if (result !== undefined) return result;
      signal.throwIfAborted();
    }
    const execution = execute();
    this.#remember(key, { digest, request, result: execution.then((result) => (signal.aborted ? undefined : result), () => undefined) });
    return execution;
  }

  #find(key: string): Entry | RunningEntry | undefined {
    const finished = this.#finished.get(key);
    if (finished === undefined) return this.#running.get(key);
    this.#finished.delete(key);
    this.#finished.set(key, finished);
    return finished;
  }

  #remember(key: string, entry: RunningEntry): void {
    this.#running.set(key, entry);
    void entry.result.then((result) => {
      this.#running.delete(key);
      return result === undefined ? undefined : this.#keep(key, { digest: entry.digest, result: entry.result });
    });
  }

  #keep(key: string, entry: Entry): void {
    this.#finished.set(key, entry);
    const [oldest] = this.#finished.keys();
    if (this.#finished.size > this.#limit && oldest !== undefined) this.#finished.delete(oldest);
  }
}

/** The task that the call becomes, or its end without one. */
function join({ request, result }: RunningEntry): Promise<CallToolResult | CreatedTask | undefined> {
  return Promise.race([result, request.taskCreated.then((task): CreatedTask => ({ resultType: 'task', ...task }))]);
}

/** @throws ProtocolError -32602 */
export function readIdempotencyKey(meta: JsonObject): string | undefined {
  const key = meta[KEY];
  if (key === undefined || (typeof key === 'string' && key.length <= MAX_KEY_LENGTH)) return key;
  throw new ProtocolError(ErrorCode.invalidParams, `Invalid params: ${KEY} must be a string of at most ${String(MAX_KEY_LENGTH)} characters`);
}

function digestOf({ name, args }: KeyedCall): string {
  return nodeCrypto().createHash('sha256').update(JSON.stringify([name, args], sortedMembers)).digest('base64');
}

function sortedMembers(_member: string, value: unknown): unknown {
  return isJsonObject(value) ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value;
}

function otherArguments(): CallToolResult {
  const text = 'The idempotency key was used before for a call with other arguments. Use a new key for a new call.';
  return { content: [{ type: 'text', text }], isError: true };
}
