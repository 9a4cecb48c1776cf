import { randomUUID } from 'node:crypto';
import { createMemoryRateGates, MAX_OPENING } from '../llm/memory-rate-gate.ts';
import { MAX_RETRY_AFTER_MS } from '../llm/retry.ts';
import type { Clock } from '../ports/clock.ts';
import { LlmError, type LlmErrorKind } from '../ports/llm-provider.ts';
import type { RateGate, RateGates, RateSlot } from '../ports/rate-gate.ts';
import { HEARTBEAT_EVERY_MS, LEASE_MS } from '../ports/store/worker.ts';
import { changeGate, type GateCommand, type GateReply } from './rate-gate-script.ts';
import type { RedisChannels } from './redis-channels.ts';
import type { RedisLink } from './redis-link.ts';

/** Longest delay after which a lost message about a free slot is noticed, in milliseconds. */
const POLL_EVERY_MS = 500;

export interface RedisRateGateOptions {
  readonly link: RedisLink;
  readonly channels: RedisChannels;
  /** First part of the keys in Redis. */
  readonly prefix: string;
  readonly clock: Clock;
  /** Maximum of concurrent requests to a provider without a response yet. Default: 32. */
  readonly width?: number | undefined;
  /** Time of the gates. Default: that of Redis, the same for all processes. */
  readonly now?: () => number;
}

/**
 * Creates gates for the requests of all processes that use the Redis. While it does not answer, the
 * requests of this process have gates of their own.
 */
export function createRedisRateGates(options: RedisRateGateOptions): RateGates {
  const gates = new Map<string, RateGate>();
  const local = createMemoryRateGates(options);
  return {
    of(provider) {
      const gate = gates.get(provider) ?? new RedisRateGate(options, provider, local.of(provider));
      gates.set(provider, gate);
      return gate;
    },
  };
}

interface Waiter {
  readonly signal: AbortSignal;
  readonly patienceMs: number;
  readonly admit: (slot: RateSlot | Promise<RateSlot>) => void;
  readonly refuse: (error: LlmError) => void;
  /** Whether no reply of Redis has been compared with its patience. */
  isNew: boolean;
}

class RedisRateGate implements RateGate {
  readonly #options: RedisRateGateOptions;
  readonly #local: RateGate;
  readonly #command: Pick<GateCommand, 'key' | 'width' | 'channel'>;
  readonly #process = randomUUID();
  readonly #slots = new Set<string>();
  #waiting: Waiter[] = [];
  #count = 0;
  #isAsking = false;
  #asksAgain = false;
  #cancelLook: () => void = () => undefined;
  #isKeeping = false;

  constructor(options: RedisRateGateOptions, provider: string, local: RateGate) {
    const { channels, prefix, width = MAX_OPENING } = options;
    this.#options = options;
    this.#local = local;
    const channel = `gate:${provider}`;
    this.#command = {
      key: `${prefix}:gate:${provider}`,
      width,
      channel: channels.nameOf(channel),
    };
    channels.subscribe(channel, () => void this.#ask());
  }

  async enter({
    signal,
    patienceMs = MAX_RETRY_AFTER_MS,
  }: Parameters<RateGate['enter']>[0]): Promise<RateSlot> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<RateSlot>();
    const waiter: Waiter = { signal, patienceMs, admit: resolve, refuse: reject, isNew: true };
    this.#waiting.push(waiter);
    const onAbort = (): void => {
      this.#waiting = this.#waiting.filter((each) => each !== waiter);
      // Has no effect on an admitted request, which takes its slot like any other.
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    void this.#ask();
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  async widen(): Promise<void> {
    await this.#local.widen();
    await this.#tryChange('widen');
  }

  async coolDown(waitMs: number): Promise<void> {
    await this.#local.coolDown(waitMs);
    await this.#tryChange('coolDown', [Math.round(waitMs)]);
  }

  async refuse(error: LlmError): Promise<void> {
    await this.#local.refuse(error);
    const { kind, message, status, retryAfterMs = 0 } = error;
    const waitMs = Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
    await this.#tryChange('refuse', [
      Math.round(waitMs),
      Math.round(retryAfterMs),
      JSON.stringify({ kind, message, status }),
    ]);
  }

  /** Asks for the requests that wait, one question at a time. */
  async #ask(): Promise<void> {
    this.#asksAgain = true;
    if (this.#isAsking) return;
    this.#isAsking = true;
    while (this.#asksAgain && this.#waiting.length > 0) {
      this.#asksAgain = false;
      const asking = [...this.#waiting];
      const ids = asking.map(() => this.#newId());
      try {
        this.#answer(asking, ids, await this.#change('enter', [LEASE_MS, ...ids]));
      } catch {
        this.#enterLocally();
      }
    }
    this.#isAsking = false;
  }

  #answer(asking: readonly Waiter[], ids: readonly string[], reply: GateReply): void {
    const { admitted, waitMs, refusal } = reply;
    if (refusal !== undefined) this.#refuseImpatient(asking, refusal);
    for (const waiter of asking) waiter.isNew = false;
    for (const id of ids.slice(0, admitted)) {
      this.#slots.add(id);
      const slot = this.#slotOf(id);
      const waiter = this.#waiting.shift();
      // The others were aborted meanwhile.
      if (waiter === undefined) void slot.release();
      else waiter.admit(slot);
    }
    if (this.#slots.size > 0) this.#keepSlots();
    this.#cancelLook();
    if (this.#waiting.length > 0)
      this.#cancelLook = this.#options.clock.after(
        waitMs > 0 ? waitMs : POLL_EVERY_MS,
        () => void this.#ask(),
      );
  }

  #refuseImpatient(
    asking: readonly Waiter[],
    { error, askedMs }: NonNullable<GateReply['refusal']>,
  ): void {
    const { kind, message, status } = JSON.parse(error) as {
      readonly kind: LlmErrorKind;
      readonly message: string;
      readonly status?: number;
    };
    const refused = new Set(
      asking.filter(({ isNew, patienceMs }) => isNew && askedMs > patienceMs),
    );
    this.#waiting = this.#waiting.filter((waiter) => !refused.has(waiter));
    for (const { refuse } of refused)
      refuse(new LlmError(kind, message, { retryAfterMs: askedMs, status }));
  }

  #enterLocally(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { signal, patienceMs, admit } of waiting)
      admit(this.#local.enter({ signal, patienceMs }));
  }

  #slotOf(id: string): RateSlot {
    return {
      release: async () => {
        if (!this.#slots.delete(id)) return;
        await this.#tryChange('release', [id]);
        if (this.#waiting.length > 0) void this.#ask();
      },
    };
  }

  /** Renews the slots of this process until they are released. */
  #keepSlots(): void {
    if (this.#isKeeping) return;
    this.#isKeeping = true;
    this.#options.clock.after(HEARTBEAT_EVERY_MS, () => {
      this.#isKeeping = false;
      if (this.#slots.size === 0) return;
      void this.#tryChange('keep', [LEASE_MS, ...this.#slots]);
      this.#keepSlots();
    });
  }

  #newId(): string {
    this.#count += 1;
    return `${this.#process}:${this.#count}`;
  }

  /** Makes a change, which is lost while Redis does not answer. */
  async #tryChange(operation: GateCommand['operation'], rest?: GateCommand['rest']): Promise<void> {
    await this.#change(operation, rest).catch(() => undefined);
  }

  #change(operation: GateCommand['operation'], rest: GateCommand['rest'] = []): Promise<GateReply> {
    const { link, now } = this.#options;
    return link.run((redis) =>
      changeGate(redis, { ...this.#command, operation, now: now?.(), rest }),
    );
  }
}
