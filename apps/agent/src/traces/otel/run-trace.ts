import { SpanKind, type Attributes, type Context, type Span } from '@opentelemetry/api';
import type { SentCall } from '../../ports/traces.ts';
import type { RunEventBody, RunEventTypes } from '../../run/core/events.ts';
import { CallTraces } from './call-traces.ts';
import { endSpan } from './end-span.ts';
import { under, type SpanSource } from './span-source.ts';
import { TurnTrace } from './turn-trace.ts';

type RunEnd = 'completed' | 'failed' | 'cancelled' | 'expired';

/**
 * Spans of one run in this process: run, turn, model call, tool call. While a run waits for a
 * person it has no open span; it continues in a new span under the first one. Texts of people,
 * models and servers are in no attribute.
 */
export class RunTrace {
  /** Whether the run has ended. Later events are ignored. */
  isOver = false;
  readonly #runId: string;
  readonly #source: SpanSource;
  readonly #calls: CallTraces;
  #provider: string;
  #attributes: Attributes;
  #isAgent = false;
  #parent: Context | undefined;
  #span: Span | undefined;
  #turn: TurnTrace | undefined;

  /** `provider`: default model provider of the service. */
  constructor(
    runId: string,
    source: SpanSource,
    { provider, parent }: { readonly provider: string; readonly parent: Context | undefined },
  ) {
    this.#provider = provider;
    this.#runId = runId;
    this.#source = source;
    this.#parent = parent;
    this.#attributes = { 'signalbox.run.id': runId };
    this.#calls = new CallTraces((turn, span) =>
      source.start(runId, { ...span, parent: this.#parentOf(turn) }),
    );
  }

  record(events: readonly RunEventBody[]): void {
    for (const event of events) if (!this.isOver) this.#record(event);
    if (this.#turn?.isModelDone === true && !this.#calls.hasOpen(this.#turn.number))
      this.#endTurn();
  }

  /** Returns the span that the server continues. */
  callSent(call: SentCall): Span {
    return this.#calls.sent(call);
  }

  /** Ends the open spans of a run that another process continues. */
  interrupt(): void {
    this.#endSpans({ 'signalbox.interrupted': true });
  }

  #record(event: RunEventBody): void {
    const { type, data } = event;
    switch (type) {
      case 'run.queued':
        return this.#describe(data);
      case 'run.started':
        return void this.#open();
      case 'run.resumed':
        return void this.#open().setAttribute('signalbox.run.resumed', data.reason);
      case 'run.input_required':
        return this.#endSpans({ 'signalbox.run.status': 'input_required' });
      case 'run.cancelling':
        return void this.#span?.addEvent('signalbox.run.cancelling');
      case 'run.completed':
        return this.#end('completed');
      case 'run.failed':
        return this.#end('failed', data.error.code);
      case 'run.cancelled':
        return this.#end('cancelled');
      case 'run.expired':
        return this.#end('expired', data.error.code);
      case 'inbox.opened':
        return void (this.#turn?.span ?? this.#span)?.addEvent('signalbox.inbox.opened', {
          'signalbox.inbox_item.id': data.inbox_item_id,
          'signalbox.inbox_item.kind': data.kind,
        });
      case 'turn.started':
        return this.#startModelCall(data);
      case 'usage.updated':
        if (data.source === 'agent') this.#turn?.used(data);
        return;
      case 'turn.completed':
        return this.#turn?.modelAnswered(data.stop_reason);
      case 'turn.failed':
        return this.#endTurn(data.error.code);
      case 'turn.cancelled':
      case 'turn.interrupted':
        this.#turn?.modelStopped(type === 'turn.cancelled' ? 'cancelled' : 'interrupted');
        return this.#endTurn();
      default:
        this.#calls.record(event);
    }
  }

  #describe({ kind, provider, model, thread_id, agent_id }: RunEventTypes['run.queued']): void {
    if (provider !== undefined) this.#provider = provider;
    this.#isAgent = kind === 'agent';
    this.#attributes = {
      ...this.#attributes,
      'signalbox.run.kind': kind,
      ...(this.#isAgent ? { 'gen_ai.operation.name': 'invoke_agent' } : {}),
      ...(provider === undefined ? {} : { 'gen_ai.provider.name': provider }),
      ...(model === undefined ? {} : { 'gen_ai.request.model': model }),
      ...(thread_id === undefined ? {} : { 'gen_ai.conversation.id': thread_id }),
      ...(agent_id === undefined ? {} : { 'gen_ai.agent.id': agent_id }),
    };
  }

  #open(): Span {
    if (this.#span !== undefined) return this.#span;
    const span = this.#source.start(this.#runId, {
      name: this.#isAgent ? 'invoke_agent' : 'run',
      kind: SpanKind.INTERNAL,
      attributes: this.#attributes,
      parent: this.#parent,
    });
    this.#span = span;
    this.#parent ??= under(span);
    return span;
  }

  #startModelCall(data: RunEventTypes['turn.started']): void {
    if (this.#turn?.number !== data.turn) this.#startTurn(data.turn);
    if (!this.#isAgent) this.#isAgentRun(data.model);
    this.#provider = data.provider;
    this.#turn?.startModelCall(data);
  }

  /** Completes the span of a run that an earlier process described. */
  #isAgentRun(model: string): void {
    this.#isAgent = true;
    const attributes = {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': this.#provider,
      'gen_ai.request.model': model,
    };
    this.#attributes = { ...this.#attributes, ...attributes };
    this.#span?.updateName('invoke_agent').setAttributes(attributes);
  }

  #startTurn(number: number): TurnTrace {
    this.#endTurn();
    const parent = under(this.#open());
    this.#turn = new TurnTrace(number, (span) =>
      this.#source.start(this.#runId, { parent, ...span }),
    );
    return this.#turn;
  }

  /** Returns the parent of a call. The call of a run without a model has no turn, nor has a call from an earlier process. */
  #parentOf(turn: number | undefined): Context {
    if (turn === undefined || turn === 0) return under(this.#open());
    const trace = this.#turn?.number === turn ? this.#turn : this.#startTurn(turn);
    return under(trace.span);
  }

  #endTurn(errorType?: string): void {
    this.#turn?.end(errorType);
    this.#turn = undefined;
  }

  #endSpans(attributes: Attributes, errorType?: string): void {
    this.#calls.end(attributes);
    this.#endTurn();
    endSpan(this.#span, attributes, errorType);
    this.#span = undefined;
  }

  #end(status: RunEnd, errorType?: string): void {
    this.#endSpans({ 'signalbox.run.status': status }, errorType);
    this.isOver = true;
  }
}
