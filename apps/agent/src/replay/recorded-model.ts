import {
  LlmError,
  type LlmErrorKind,
  type LlmEvent,
  type LlmProvider,
  type LlmRequest,
  type ProviderInfo,
  type StopReason,
} from '../ports/llm-provider.ts';
import type { LlmProviders, ModelRef } from '../ports/llm-providers.ts';
import type { RunError } from '../ports/store/run.ts';
import { usageOf } from '../run/limits/usage.ts';
import type { Recording } from './recording.ts';
import type { ReplayState } from './replay-state.ts';

/** Model that repeats the recorded messages turn by turn. */
export class RecordedModel implements LlmProvider, LlmProviders {
  readonly info: ProviderInfo;
  readonly #recording: Recording;
  readonly #state: ReplayState;

  constructor(recording: Recording, state: ReplayState) {
    const { provider, model, scripted } = recording.run;
    this.info = { provider, model, scripted };
    this.#recording = recording;
    this.#state = state;
  }

  get names(): readonly string[] {
    return [this.info.provider];
  }

  get(_provider: string): this {
    return this;
  }

  resolve(model: string): ModelRef {
    return { provider: this.info.provider, model };
  }

  listed(): readonly [] {
    return [];
  }

  card(): undefined {
    return undefined;
  }

  async *stream(
    _request: LlmRequest,
    { signal }: { readonly signal: AbortSignal },
  ): AsyncGenerator<LlmEvent> {
    const { turn } = this.#state;
    const finish = this.#finishOf(turn);
    if (finish === undefined) {
      const failure = this.#failureOf(turn);
      if (failure !== undefined) throw failure;
      this.#endAt(turn);
      await new Promise<void>((resolve) =>
        signal.addEventListener('abort', () => resolve(), { once: true }),
      );
      throw new LlmError('aborted', 'the replay is over');
    }
    yield { type: 'start', model: finish.model };
    this.#state.point = 'plan';
    yield finish;
  }

  #finishOf(turn: number): Extract<LlmEvent, { type: 'finish' }> | undefined {
    const { messages, events } = this.#recording;
    const message = messages.find((each) => each.role === 'assistant' && each.turn === turn);
    const completedAt = events.findIndex(
      (event) => event.type === 'turn.completed' && event.data.turn === turn,
    );
    const completed = events[completedAt];
    const used = events
      .slice(0, Math.max(0, completedAt))
      .findLast((event) => event.type === 'usage.updated' && event.data.source === 'agent');
    if (
      message === undefined ||
      completed?.type !== 'turn.completed' ||
      used?.type !== 'usage.updated'
    )
      return undefined;
    const { content, native } = message;
    // Stored from the provider's `finish`.
    const stop = completed.data.stop_reason as StopReason;
    return {
      type: 'finish',
      stop,
      usage: usageOf(used.data.usage),
      model: used.data.model,
      message: { role: 'assistant', content, ...(native === undefined ? {} : { native }) },
    };
  }

  /** Returns the failure of a turn's last attempt. Retried attempts decided nothing. */
  #failureOf(turn: number): Error | undefined {
    const failed = this.#recording.events.findLast(
      (event) => event.type === 'turn.failed' && event.data.turn === turn && !event.data.retryable,
    );
    return failed?.type === 'turn.failed' ? errorOf(failed.data.error) : undefined;
  }

  #endAt(turn: number): void {
    const { status } = this.#recording.run;
    if (status === 'cancelled' || status === 'expired') this.#state.stop();
    else
      this.#state.differ(
        `turn ${turn}: the model is called, but the recorded run had ended (${status}) after turn ${turn - 1}`,
      );
  }
}

function errorOf({ code, message }: RunError): Error {
  // The engine prefixes the error kind with `llm_`.
  return code.startsWith('llm_')
    ? new LlmError(code.slice('llm_'.length) as LlmErrorKind, message)
    : new Error(message);
}
