import { SpanKind, type Span } from '@opentelemetry/api';
import type { RunEventTypes } from '../../run/core/events.ts';
import { endSpan } from './end-span.ts';
import { under, type NewSpan } from './span-source.ts';

type StartSpan = (span: Omit<NewSpan, 'parent'> & Partial<Pick<NewSpan, 'parent'>>) => Span;

/**
 * Span of a turn, which ends with its last tool call, and the spans of its model calls.
 * @see https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/gen-ai-spans.md
 */
export class TurnTrace {
  readonly number: number;
  readonly span: Span;
  readonly #start: StartSpan;
  #modelCall: Span | undefined;

  constructor(number: number, start: StartSpan) {
    this.number = number;
    this.#start = start;
    this.span = start({
      name: 'turn',
      kind: SpanKind.INTERNAL,
      attributes: { 'signalbox.turn': number },
    });
  }

  get isModelDone(): boolean {
    return this.#modelCall === undefined;
  }

  startModelCall({ provider, model, attempt }: RunEventTypes['turn.started']): void {
    this.#modelCall = this.#start({
      name: `chat ${model}`,
      kind: SpanKind.CLIENT,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': model,
        'gen_ai.provider.name': provider,
        'signalbox.attempt': attempt,
      },
      parent: under(this.span),
    });
  }

  used({ model, usage }: RunEventTypes['usage.updated']): void {
    this.#modelCall?.setAttributes({
      'gen_ai.response.model': model,
      'gen_ai.usage.input_tokens': usage.input,
      'gen_ai.usage.output_tokens': usage.output,
      'gen_ai.usage.cache_read.input_tokens': usage.cache_read,
      'gen_ai.usage.cache_creation.input_tokens': usage.cache_write,
    });
  }

  modelAnswered(stopReason: string): void {
    this.#modelCall?.setAttribute('gen_ai.response.finish_reasons', [stopReason]);
    this.#endModelCall();
  }

  modelStopped(reason: 'cancelled' | 'interrupted'): void {
    this.#modelCall?.setAttribute('signalbox.outcome', reason);
    this.#endModelCall();
  }

  end(errorType?: string): void {
    this.#endModelCall(errorType);
    endSpan(this.span, {}, errorType);
  }

  #endModelCall(errorType?: string): void {
    endSpan(this.#modelCall, {}, errorType);
    this.#modelCall = undefined;
  }
}
