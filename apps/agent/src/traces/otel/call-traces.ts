import { SpanKind, type Attributes, type Span } from '@opentelemetry/api';
import type { SentCall } from '../../ports/traces.ts';
import type { RunEventBody } from '../../run/core/events.ts';
import { endSpan } from './end-span.ts';
import type { NewSpan } from './span-source.ts';

interface CallTrace {
  /** Undefined for a call that an earlier process planned. */
  readonly turn: number | undefined;
  /** Undefined for a call without a server, whose name is a text of the model. */
  readonly tool: SentCall['tool'] | undefined;
  readonly toolUseId?: string;
  /** Span of the current attempt. */
  span?: Span | undefined;
  /** Whether the call is neither ended nor waiting for a person. */
  isOpen: boolean;
}

type StartCall = (turn: number | undefined, span: Omit<NewSpan, 'parent'>) => Span;

/**
 * Spans of the tool calls of a run, one for each attempt, from its dispatch to its end.
 * @see https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
 */
export class CallTraces {
  readonly #start: StartCall;
  readonly #calls = new Map<string, CallTrace>();

  constructor(start: StartCall) {
    this.#start = start;
  }

  /** Whether a call of the turn has not ended. */
  hasOpen(turn: number): boolean {
    for (const call of this.#calls.values()) if (call.turn === turn && call.isOpen) return true;
    return false;
  }

  record({ type, data }: RunEventBody): void {
    switch (type) {
      case 'tool_call.planned':
        this.#calls.set(data.call_id, {
          turn: data.turn,
          tool: data.server === undefined ? undefined : { server: data.server, name: data.tool },
          toolUseId: data.tool_use_id,
          isOpen: true,
        });
        return;
      case 'tool_call.dispatched':
      case 'tool_call.resumed':
        return void this.#spanOf(data.call_id, { 'signalbox.attempt': data.attempt });
      case 'tool_call.waiting':
        return this.#note(data.call_id, 'signalbox.tool_call.waiting', { reason: data.reason });
      case 'tool_call.working':
        return this.#note(data.call_id, 'signalbox.tool_call.working');
      case 'tool_call.input_required':
        return this.#endSpan(data.call_id, 'input_required');
      case 'tool_call.retrying':
        return this.#endSpan(data.call_id, 'retrying', data.reason);
      case 'tool_call.completed':
        return this.#endCall(data.call_id, 'succeeded', data.result.is_error);
      case 'tool_call.failed':
        return this.#endCall(data.call_id, 'failed', true);
      case 'tool_call.cancelled':
        return this.#endCall(data.call_id, 'cancelled', false);
      case 'tool_call.outcome_unknown':
        return this.#endSpan(data.call_id, 'unknown', 'outcome_unknown');
      default:
    }
  }

  /** Returns the span of a call whose request is about to be sent. */
  sent({ callId, tool, method, protocolVersion, transport }: SentCall): Span {
    const span = this.#spanOf(callId);
    // The events of a call that an earlier process planned do not name its tool.
    if (this.#calls.get(callId)?.tool === undefined) span.updateName(nameOf(tool));
    return span.setAttributes({
      ...attributesOf(tool),
      'mcp.method.name': method,
      'mcp.protocol.version': protocolVersion,
      'network.transport': transport === 'stdio' ? 'pipe' : 'tcp',
      ...(transport === 'stdio' ? {} : { 'network.protocol.name': 'http' }),
    });
  }

  /** Ends the open spans. */
  end(attributes: Attributes): void {
    for (const call of this.#calls.values()) {
      endSpan(call.span, attributes);
      call.span = undefined;
    }
  }

  #spanOf(callId: string, attributes: Attributes = {}): Span {
    const call = this.#calls.get(callId) ?? { turn: undefined, tool: undefined, isOpen: true };
    this.#calls.set(callId, call);
    call.isOpen = true;
    const { tool, toolUseId } = call;
    call.span ??= this.#start(call.turn, {
      name: nameOf(tool),
      kind: SpanKind.CLIENT,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'mcp.method.name': 'tools/call',
        'signalbox.tool_call.id': callId,
        ...attributesOf(tool),
        ...(toolUseId === undefined ? {} : { 'gen_ai.tool.call.id': toolUseId }),
      },
    });
    return call.span.setAttributes(attributes);
  }

  #note(callId: string, name: string, attributes: Attributes = {}): void {
    this.#calls.get(callId)?.span?.addEvent(name, attributes);
  }

  #endSpan(callId: string, outcome: string, errorType?: string): void {
    const call = this.#calls.get(callId);
    if (call === undefined) return;
    endSpan(call.span, { 'signalbox.outcome': outcome }, errorType);
    call.span = undefined;
    call.isOpen = outcome === 'retrying';
  }

  #endCall(callId: string, outcome: string, isError: boolean): void {
    this.#endSpan(callId, outcome, isError ? 'tool_error' : undefined);
    this.#calls.delete(callId);
  }
}

function nameOf(tool: CallTrace['tool']): string {
  return tool === undefined ? 'tools/call' : `tools/call ${tool.name}`;
}

function attributesOf(tool: CallTrace['tool']): Attributes {
  return tool === undefined
    ? {}
    : { 'gen_ai.tool.name': tool.name, 'signalbox.server': tool.server };
}
