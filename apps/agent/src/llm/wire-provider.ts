import { type LlmEvent, LlmError, type LlmProvider, type LlmRequest, type ProviderInfo } from '../ports/llm-provider.ts';
import type { Clock } from '../ports/test-hooks.ts';
import { CallGuard } from './call-guard.ts';
import { assertPairedCalls } from './history.ts';
import { withRetries } from './retry.ts';

/** One model call over a wire. */
export interface WireCall<Raw> {
  /** Sends the request; resolves when the response has begun. Called again for a retry. */
  open(signal: AbortSignal): Promise<AsyncIterable<Raw>>;
  /** Turns a raw event into ours; the last one is `finish`. */
  translate(raw: Raw): readonly LlmEvent[];
  /** What to throw for an error of the SDK. */
  toError(error: unknown): LlmError;
}

export interface WireAdapter<Raw> {
  readonly info: ProviderInfo;
  /** Names the far end in messages. */
  readonly label: string;
  /** `onBytes` hears every piece of the response. @throws LlmError when the call cannot be made at all */
  startCall(request: LlmRequest, onBytes: (count: number) => void): Promise<WireCall<Raw>>;
}

export interface WireLimits {
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly idleTimeoutMs: number;
  readonly deadlineMs: number;
}

const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** What the wires have in common: retries before the first event, watchdog and deadline, abort, and the demand for a terminal event. */
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
    const { clock, idleTimeoutMs, deadlineMs } = this.#limits;
    const guard = new CallGuard({ clock, signal, label: this.#adapter.label, idleTimeoutMs, deadlineMs });
    try {
      guard.signal.throwIfAborted();
      assertPairedCalls(request.messages);
      const call = await this.#adapter.startCall(request, countBytes(guard, this.#adapter.label));
      for await (const raw of this.#read(call, guard)) {
        const events = this.#translate(call, raw);
        yield* events;
        if (events.at(-1)?.type === 'finish') return;
      }
      throw new LlmError('network', `${this.#adapter.label} ended the answer before it was complete. Try again.`, { retryable: true });
    } finally {
      guard.close();
    }
  }

  #translate(call: WireCall<Raw>, raw: Raw): readonly LlmEvent[] {
    try {
      return call.translate(raw);
    } catch (error) {
      if (error instanceof LlmError) throw error;
      throw new LlmError('protocol', `${this.#adapter.label} sent an event that cannot be understood (${error instanceof Error ? error.message : String(error)}). Check that the base URL speaks this API.`, { cause: error });
    }
  }

  async *#read(call: WireCall<Raw>, guard: CallGuard): AsyncGenerator<Raw> {
    const next = async (iterator: AsyncIterator<Raw>): Promise<IteratorResult<Raw>> => {
      const result = await guard.watch(iterator.next());
      guard.signal.throwIfAborted();
      return result;
    };
    const begin = async (): Promise<{ iterator: AsyncIterator<Raw>; first: Raw }> => {
      const iterator = (await guard.watch(call.open(guard.signal)))[Symbol.asyncIterator]();
      const first = await next(iterator);
      if (first.done === true) throw new LlmError('network', `${this.#adapter.label} answered with nothing. Try again.`, { retryable: true });
      return { iterator, first: first.value };
    };
    const { clock, random } = this.#limits;
    const { iterator, first } = await withRetries(() => translated(begin(), { call, guard }), { clock, random, signal: guard.signal });
    yield first;
    for (;;) {
      const result = await translated(next(iterator), { call, guard });
      if (result.done === true) return;
      yield result.value;
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
