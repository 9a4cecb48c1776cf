import { canonicalJson } from '../../jsonrpc/canonical-json.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { nodeCrypto } from '../../jsonrpc/node-crypto.ts';
import { retainSerialized } from '../../jsonrpc/serialized-json.ts';
import { untilAborted } from '../../jsonrpc/bounded-waits.ts';
import { ErrorCode, ProtocolError } from '../../protocol/errors.ts';
import type { CallToolResult } from '../../protocol/tools.ts';
import { ExpiryTimer } from '../expiry-timer.ts';
import type { ActiveRequest } from '../requests/active-request.ts';

/** `_meta` key of the idempotency key of a call. */
const KEY = 'dev.signalbox/idempotency-key';
const MAX_KEY_LENGTH = 200;

const MAX_RESULT_BYTES = 16 * 1024 * 1024;
const MAX_AGE_MS = 600_000;

interface RunningEntry {
  readonly digest: string;
  /** `undefined` when the call was cancelled or failed with a protocol error. */
  readonly result: Promise<CallToolResult | undefined>;
  readonly request: ActiveRequest;
}

interface FinishedEntry {
  readonly digest: string;
  readonly result: CallToolResult;
  /** Size of the result as JSON, 0 when it was dropped. */
  readonly bytes: number;
}

/** The result of a call that became a task. */
export type CreatedTask = JsonObject & { readonly resultType: 'task' };

export interface KeyedCall {
  readonly key: string;
  readonly name: string;
  readonly args: JsonObject;
  /** The principal of the request owns the key, so that principals never share results. */
  readonly request: ActiveRequest;
}

/**
 * The results of finished calls by idempotency key, for ten minutes. Beyond the limit of entries, the least recently used entry is evicted. Beyond 16 MiB,
 * the least recently used result is replaced by an error that says that the call ran. A call with the key of a running call joins it, and gets its task if
 * the client supports tasks; if the running call is cancelled, the joining call runs. Calls that are cancelled or fail with a protocol error are not stored.
 */
export class IdempotentCalls {
  readonly #limit: number;
  readonly #running = new Map<string, RunningEntry>();
  readonly #finished = new Map<string, FinishedEntry>();
  readonly #expiry = new ExpiryTimer(Date.now, (key) => {
    this.#forget(key);
  });
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  async run(
    call: KeyedCall,
    execute: () => Promise<CallToolResult>,
  ): Promise<CallToolResult | CreatedTask> {
    const { request } = call;
    const { signal } = request;
    const key = JSON.stringify([call.key, request.auth?.principal]);
    const digest = digestOf(call);
    for (let known = this.#find(key); known !== undefined; known = this.#find(key)) {
      if (known.digest !== digest) return otherArguments();
      if ('bytes' in known) return known.result;
      const canJoinTask = request.canBecomeTask && !known.request.isAbandoned;
      const result = await untilAborted(canJoinTask ? join(known) : known.result, signal);
      if (result !== undefined) return result;
      signal.throwIfAborted();
    }
    const execution = execute();
    this.#remember(key, {
      digest,
      request,
      result: execution.then(
        (result) => (signal.aborted ? undefined : retainSerialized(result)),
        () => undefined,
      ),
    });
    return execution;
  }

  #find(key: string): FinishedEntry | RunningEntry | undefined {
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
      return result && this.#keep(key, { digest: entry.digest, result, bytes: sizeOf(result) });
    });
  }

  #keep(key: string, entry: FinishedEntry): void {
    const isTooLarge = entry.bytes > MAX_RESULT_BYTES;
    const kept = isTooLarge ? { ...entry, result: droppedResult(), bytes: 0 } : entry;
    this.#finished.set(key, kept);
    this.#bytes += kept.bytes;
    this.#expiry.add(key, Date.now() + MAX_AGE_MS);
    const [oldest] = this.#finished.keys();
    if (this.#finished.size > this.#limit && oldest !== undefined) this.#forget(oldest);
    this.#dropResults();
  }

  /** Drops results, but keeps their entries: a call with such a key must not run again. */
  #dropResults(): void {
    for (const [key, { digest, bytes }] of this.#finished) {
      if (this.#bytes <= MAX_RESULT_BYTES) return;
      if (bytes > 0) this.#finished.set(key, { digest, result: droppedResult(), bytes: 0 });
      this.#bytes -= bytes;
    }
  }

  #forget(key: string): void {
    this.#bytes -= this.#finished.get(key)?.bytes ?? 0;
    this.#finished.delete(key);
    this.#expiry.delete(key);
  }
}

/** Resolves with the task that the running call becomes, or with its result. */
function join({
  request,
  result,
}: RunningEntry): Promise<CallToolResult | CreatedTask | undefined> {
  return Promise.race([
    result,
    request.taskCreated.then((task): CreatedTask => ({ resultType: 'task', ...task })),
  ]);
}

/** Returns the idempotency key in `_meta`. @throws ProtocolError -32602 */
export function readIdempotencyKey(meta: JsonObject): string | undefined {
  const key = meta[KEY];
  if (key === undefined || (typeof key === 'string' && key.length <= MAX_KEY_LENGTH)) return key;
  throw new ProtocolError(
    ErrorCode.invalidParams,
    `Invalid params: ${KEY} must be a string of at most ${String(MAX_KEY_LENGTH)} characters`,
  );
}

function digestOf({ name, args }: KeyedCall): string {
  return nodeCrypto()
    .createHash('sha256')
    .update(canonicalJson([name, args]))
    .digest('base64');
}

/** Returns the size as JSON; `Infinity` for a result that cannot be serialized, which must not be stored. */
function sizeOf(result: CallToolResult): number {
  try {
    return Buffer.byteLength(JSON.stringify(result));
  } catch {
    return Infinity;
  }
}

function droppedResult(): CallToolResult {
  const text =
    'The call with this idempotency key has run, but its result is no longer stored. Check its effect before you repeat it with a new key.';
  return { content: [{ type: 'text', text }], isError: true };
}

function otherArguments(): CallToolResult {
  const text =
    'The idempotency key was used before for a call with other arguments. Use a new key for a new call.';
  return { content: [{ type: 'text', text }], isError: true };
}
