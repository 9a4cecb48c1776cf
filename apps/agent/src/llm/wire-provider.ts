import { type LlmEvent, LlmError, type LlmProvider, type LlmRequest, type ProviderInfo } from '../ports/llm-provider.ts';
import type { Clock } from '../ports/test-hooks.ts';
import { CallGuard } from './call-guard.ts';
import { assertPairedCalls } from './history.ts';
import { withRetries } from './retry.ts';

/** One model call over a wire. */
export interface WireCall<Raw> {
  /** Sends the request; resolves when a response has begun. Called again for a retry. */
  open(signal: AbortSignal): Promise<WireResponse<Raw>>;
  /** What to throw for an error of the SDK. */
  toError(error: unknown): LlmError;
}

export interface WireResponse<Raw> {
  readonly events: AsyncIterable<Raw>;
  /** Turns a raw event into ours; the last one is `finish`. */
  translate(raw: Raw): readonly LlmEvent[];
}

export interface WireAdapter<Raw> {
  readonly info: ProviderInfo;
  /** Names the far end in messages. */
  readonly label: string;
  /** `onBytes` hears every piece of the responses. @throws LlmError when the call cannot be made at all */
  startCall(request: LlmRequest, onBytes: (count: number) => void): Promise<WireCall<Raw>>;
}

export interface WireLimits {
  /** What to send with; default the network. */
  readonly send?: typeof fetch | undefined;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly idleTimeoutMs: number;
  readonly deadlineMs: number;
}

type ReadEvents = () => Promise<readonly LlmEvent[]>;

const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** What the wires have in common: retries until something of the answer is there, watchdog and deadline, abort, and the demand for a terminal event. */
export class WireProvider<Raw> implements LlmProvider {
  readonly #adapter: WireAdapter<Raw>;
  readonly #limits: WireLimits;

  constructor(adapter: WireAdapter<Raw>, limits: WireLimits) {
    this.#adapter = adapter;
    this.#limits = limits;
  }

  get info(): ProviderInfo {
    return this.#adapter.info;
  }

  async *stream(request: LlmRequest, { signal }: { readonly signal: AbortSignal }): AsyncGenerator<LlmEvent> {
    const { clock, random, idleTimeoutMs, deadlineMs } = this.#limits;
    const guard = new CallGuard({ clock, signal, label: this.#adapter.label, idleTimeoutMs, deadlineMs });
    try {
      guard.signal.throwIfAborted();
      assertPairedCalls(request.messages);
      const call = await this.#adapter.startCall(request, countBytes(guard, this.#adapter.label));
      const { beginning, read } = await withRetries(() => this.#begin(call, guard), { clock, random, signal: guard.signal });
      for (let events = beginning; ; events = await read()) {
        yield* events;
        if (events.at(-1)?.type === 'finish') return;
      }
    } finally {
      guard.close();
    }
  }

  /** Reads until something of the answer is there: what fails before that has shown nothing and can be tried again. */
  async #begin(call: WireCall<Raw>, guard: CallGuard): Promise<{ readonly beginning: readonly LlmEvent[]; readonly read: ReadEvents }> {
    const response = await translated(guard.watch(call.open(guard.signal)), { call, guard });
    const iterator = response.events[Symbol.asyncIterator]();
    const read: ReadEvents = async () => {
      const result = await translated(guard.watch(iterator.next()), { call, guard });
      guard.signal.throwIfAborted();
      if (result.done === true) throw new LlmError('network', `${this.#adapter.label} ended the answer before it was complete. Try again.`, { retryable: true });
      return this.#translate(response, result.value);
    };
    const beginning: LlmEvent[] = [];
    try {
      while (beginning.every(({ type }) => type === 'start' || type === 'warning')) beginning.push(...(await read()));
    } catch (error) {
      // Closes the connection; the attempt has failed whatever becomes of that.
      iterator.return?.().catch(() => undefined);
      throw error;
    }
    return { beginning, read };
  }

  #translate(response: WireResponse<Raw>, raw: Raw): readonly LlmEvent[] {
    try {
      return response.translate(raw);
    } catch (error) {
      if (error instanceof LlmError) throw error;
      throw new LlmError('protocol', `${this.#adapter.label} sent an event that cannot be understood (${error instanceof Error ? error.message : String(error)}). Check that the base URL speaks this API.`, { cause: error });
    }
  }
}

/** The guard's reason goes before whatever error its abort caused. */
async function translated<T, Raw>(work: Promise<T>, { call, guard }: { readonly call: WireCall<Raw>; readonly guard: CallGuard }): Promise<T> {
  try {
    return await work;
  } catch (error) {
    guard.signal.throwIfAborted();
    throw error instanceof LlmError ? error : call.toError(error);
  }
}

function countBytes(guard: CallGuard, label: string): (count: number) => void {
  let total = 0;
  return (count) => {
    total += count;
    guard.touch();
    if (total > MAX_RESPONSE_BYTES) guard.abort(new LlmError('protocol', `${label} sent more than ${MAX_RESPONSE_BYTES} bytes in one answer, and the call was ended.`));
  };
}
