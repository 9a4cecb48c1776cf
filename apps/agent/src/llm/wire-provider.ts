import { addUsage } from '../usage/add-usage.ts';
import {
  type LlmEvent,
  LlmError,
  type LlmProvider,
  type LlmRequest,
  type ProviderInfo,
  type StreamOptions,
  type Usage,
} from '../ports/llm-provider.ts';
import type { ModelCard } from '../ports/model-card.ts';
import type { Clock } from '../ports/clock.ts';
import type { RateGate, RateGates } from '../ports/rate-gate.ts';
import { messageOf } from '../text/error-text.ts';
import { AnswerBounds } from './answer-bounds.ts';
import { CallGuard } from './call-guard.ts';
import { withCost } from './catalogue/cost.ts';
import { assertPairedCalls } from './history.ts';
import { GateSlot } from './gate-slot.ts';
import { createMemoryRateGates } from './memory-rate-gate.ts';
import { withRetries } from './retry.ts';
import type { RawEvents } from './raw-events.ts';
import { estimatedUsage } from './usage-counts.ts';

/** A model call over an API. */
export interface WireCall<Raw> {
  readonly card: ModelCard;
  /** Estimated input tokens. */
  readonly promptTokens: number;
  /** Sends the request and resolves when a response has begun. Called again for a retry. */
  open(signal: AbortSignal): Promise<WireResponse<Raw>>;
  /** Converts an error of the connection. */
  toError(error: unknown): LlmError;
}

export interface WireResponse<Raw> {
  readonly events: RawEvents<Raw>;
  /** Translates a raw event; the last event is `finish`. */
  translate(raw: Raw): readonly LlmEvent[];
  /** Returns the final events after the raw events; none for an incomplete answer. */
  end?(): readonly LlmEvent[];
  /** Returns the usage so far. */
  usage(): Usage;
}

export interface WireAdapter<Raw> {
  readonly info: ProviderInfo;
  readonly models: readonly ModelCard[];
  card(model: string): ModelCard;
  /** Name of the endpoint in messages. */
  readonly label: string;
  /**
   * Prepares a call. `onBytes` is called for every piece of the responses.
   * @throws LlmError when the call is impossible
   */
  startCall(request: LlmRequest, onBytes: (count: number) => void): Promise<WireCall<Raw>>;
}

export interface WireLimits {
  readonly clock: Clock;
  /** Returns a uniform value in [0, 1). */
  readonly random: () => number;
  readonly idleTimeoutMs: number;
  readonly deadlineMs: number;
  /** Gates of the providers. Default: a gate of its own, in memory. */
  readonly gates?: RateGates | undefined;
  /** Replacement of `fetch`. Default: the network. */
  readonly send?: typeof fetch | undefined;
}

type ReadEvents = () => Promise<readonly LlmEvent[]>;

interface Beginning {
  readonly events: readonly LlmEvent[];
  readonly read: ReadEvents;
}

/** Usage of one call over all attempts. */
interface CallUsage {
  /** Usage of failed attempts that the provider processed. */
  lost: Usage | undefined;
  /** Usage of the attempt in progress. */
  current: (() => Usage) | undefined;
}

const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/**
 * Common part of all APIs: rate gate, retries before the first event, watchdog, deadline, abort,
 * usage, and the required final event.
 */
export class WireProvider<Raw> implements LlmProvider {
  readonly #adapter: WireAdapter<Raw>;
  readonly #limits: WireLimits;
  readonly #gate: RateGate;

  constructor(adapter: WireAdapter<Raw>, limits: WireLimits) {
    this.#adapter = adapter;
    this.#limits = limits;
    const gates = limits.gates ?? createMemoryRateGates(limits);
    this.#gate = gates.of(adapter.info.provider);
  }

  get info(): ProviderInfo {
    return this.#adapter.info;
  }

  get models(): readonly ModelCard[] {
    return this.#adapter.models;
  }

  card(model: string): ModelCard {
    return this.#adapter.card(model);
  }

  async *stream(
    request: LlmRequest,
    { signal, patienceMs }: StreamOptions,
  ): AsyncGenerator<LlmEvent> {
    const { clock, idleTimeoutMs, deadlineMs } = this.#limits;
    const guard = new CallGuard({
      clock,
      signal,
      label: this.#adapter.label,
      idleTimeoutMs,
      deadlineMs,
    });
    try {
      guard.signal.throwIfAborted();
      assertPairedCalls(request.messages);
      const call = await this.#adapter.startCall(request, countBytes(guard, this.#adapter.label));
      yield* this.#events(call, { guard, patienceMs });
    } finally {
      guard.close();
    }
  }

  async *#events(
    call: WireCall<Raw>,
    { guard, patienceMs }: { readonly guard: CallGuard; readonly patienceMs: number | undefined },
  ): AsyncGenerator<LlmEvent> {
    const callUsage: CallUsage = { lost: undefined, current: undefined };
    try {
      const beginning = await this.#begin(call, { guard, callUsage, patienceMs });
      for (let events = beginning.events; ; events = await beginning.read()) {
        for (const event of events) {
          yield event.type === 'finish'
            ? { ...event, usage: addUsage(callUsage.lost, withCost(event.usage, call.card.price)) }
            : event;
          guard.signal.throwIfAborted();
        }
        if (events.at(-1)?.type === 'finish') return;
      }
    } catch (error) {
      const used = usedBy(callUsage, call);
      throw used === undefined || !(error instanceof LlmError)
        ? error
        : error.with({ usage: used });
    }
  }

  #begin(
    call: WireCall<Raw>,
    state: {
      readonly guard: CallGuard;
      readonly callUsage: CallUsage;
      readonly patienceMs: number | undefined;
    },
  ): Promise<Beginning> {
    const { clock, random } = this.#limits;
    const { patienceMs } = state;
    const { signal } = state.guard;
    const slot = new GateSlot(this.#gate, patienceMs);
    const onWait = async (error: LlmError, waitMs: number): Promise<void> => {
      if (isBusy(error)) await this.#gate.coolDown(waitMs);
      slot.leave();
    };
    const attempt = async (): Promise<Beginning> => {
      await slot.enter(signal);
      try {
        return await this.#attempt(call, { ...state, slot });
      } catch (error) {
        if (error instanceof LlmError)
          this.#settleFailed(error, { call, callUsage: state.callUsage });
        throw error;
      }
    };
    const giveUp = async (error: unknown): Promise<never> => {
      if (error instanceof LlmError && error.retryable && isBusy(error))
        await this.#gate.refuse(error);
      throw error;
    };
    return withRetries(attempt, {
      clock,
      random,
      signal,
      onWait,
      ...(patienceMs === undefined ? {} : { patienceMs }),
    })
      .catch(giveUp)
      .finally(() => slot.leave());
  }

  /**
   * Reads until the first event of the answer. A failure before it has emitted nothing and can be
   * retried.
   */
  async #attempt(
    call: WireCall<Raw>,
    {
      guard,
      callUsage,
      slot,
    }: { readonly guard: CallGuard; readonly callUsage: CallUsage; readonly slot: GateSlot },
  ): Promise<Beginning> {
    callUsage.current = () => estimatedUsage(call.promptTokens, 0);
    const response = await translated(guard.watch(call.open(guard.signal)), { call, guard });
    slot.leave();
    callUsage.current = () => response.usage();
    const { events: rawEvents } = response;
    const bounds = new AnswerBounds();
    const read: ReadEvents = async () => {
      let raw = rawEvents.take();
      while (raw === undefined && (await this.#more(rawEvents, { call, guard })))
        raw = rawEvents.take();
      if (raw !== undefined) {
        bounds.addRawEvent();
        const translation = this.#translate(response, raw);
        if (translation.at(-1)?.type === 'finish') rawEvents.finish();
        return translation;
      }
      const events = response.end?.() ?? [];
      if (events.length === 0)
        throw new LlmError(
          'network',
          `${this.#adapter.label} ended the answer before it was complete. Try again.`,
          { retryable: true },
        );
      return events;
    };
    const events: LlmEvent[] = [];
    try {
      while (events.every(({ type }) => type === 'start' || type === 'warning'))
        events.push(...(await read()));
    } catch (error) {
      rawEvents.close();
      throw error;
    }
    // The answer does not wait for the gate.
    void this.#gate.widen();
    return { events, read };
  }

  /** Waits for raw events. Resolves with false at the end of the answer. */
  async #more(
    events: RawEvents<Raw>,
    { call, guard }: { readonly call: WireCall<Raw>; readonly guard: CallGuard },
  ): Promise<boolean> {
    const hasMore = await translated(guard.watch(events.more()), { call, guard });
    guard.signal.throwIfAborted();
    return hasMore;
  }

  /**
   * Counts the usage of a failed attempt: none for a refused request, and the usage so far for one
   * that the provider processed or that was aborted.
   */
  #settleFailed(
    { status, kind }: LlmError,
    { call, callUsage }: { readonly call: WireCall<Raw>; readonly callUsage: CallUsage },
  ): void {
    if (status === undefined && (kind === 'aborted' || kind === 'timeout')) return;
    const used = callUsage.current?.();
    callUsage.current = undefined;
    if (status === undefined && used !== undefined && used.source !== 'estimated')
      callUsage.lost = addUsage(callUsage.lost, withCost(used, call.card.price));
  }

  #translate(response: WireResponse<Raw>, raw: Raw): readonly LlmEvent[] {
    try {
      return response.translate(raw);
    } catch (error) {
      if (error instanceof LlmError) throw error;
      throw new LlmError(
        'protocol',
        `${this.#adapter.label} sent an invalid event (${messageOf(error)}). Check that the base URL speaks this API.`,
        { cause: error },
      );
    }
  }
}

function isBusy({ kind, status }: LlmError): boolean {
  return (
    kind === 'rate' ||
    (kind === 'overloaded' && (status === undefined || status === 503 || status === 529))
  );
}

function usedBy(
  { lost, current }: CallUsage,
  { card }: { readonly card: ModelCard },
): Usage | undefined {
  return current === undefined ? lost : addUsage(lost, withCost(current(), card.price));
}

/** Prefers the guard's reason over errors that its abort caused. */
async function translated<T, Raw>(
  work: Promise<T>,
  { call, guard }: { readonly call: WireCall<Raw>; readonly guard: CallGuard },
): Promise<T> {
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
    if (total > MAX_RESPONSE_BYTES)
      guard.abort(
        new LlmError(
          'too_large',
          `${label} sent more than ${MAX_RESPONSE_BYTES} bytes in one answer, and the call was ended.`,
        ),
      );
  };
}
