import type { RunEvent } from '../ports/run-store.ts';
import { eventBody, type ResultPreview } from '../run/events.ts';
import type { Delta, RunFrame } from '../run/follow-run.ts';
import { terminalJson, terminalLine, terminalText } from '../terminal-text.ts';
import type { Io } from './io.ts';
import { ProgressBar } from './progress-bar.ts';

/** Prints a run for a person: what is called with what, how far it is, what came of it, and the answer as it is written. Nothing of it can steer the terminal. */
export class RunPrinter {
  readonly #io: Io;
  readonly #bar: ProgressBar;
  readonly #names = new Map<string, string>();
  readonly #startedAt = new Map<string, number>();
  /** The message whose text is being printed, and how much of it is. */
  #writing: { readonly messageId: string; length: number } | undefined;

  constructor(io: Io) {
    this.#io = io;
    this.#bar = new ProgressBar(io);
  }

  frame(frame: RunFrame): void {
    if (frame.type === 'event') this.#event(frame.event);
    if (frame.type === 'delta') this.#delta(frame.delta);
  }

  line(text: string): void {
    this.end();
    this.#io.out(`${terminalLine(text)}\n`);
  }

  end(): void {
    this.#bar.clear();
    this.#endText();
  }

  #event(event: RunEvent): void {
    const body = eventBody(event);
    switch (body.type) {
      case 'run.started':
        return this.line(`run ${event.runId}${body.data.scripted ? ' (scripted: no model is configured)' : ` with ${body.data.provider} ${body.data.model}`}`);
      case 'message.completed':
        return this.#message(body.data.message_id, body.data.text);
      case 'tool_call.planned':
        this.#names.set(body.data.call_id, body.data.name);
        return this.line(`→ ${body.data.name} ${compact(body.data.arguments)}`);
      case 'tool_call.dispatched':
        this.#startedAt.set(body.data.call_id, event.at);
        return undefined;
      case 'tool_call.progress':
        return this.#bar.draw(this.#name(body.data.call_id), body.data);
      case 'tool_call.completed':
        return this.#result('✓', { event, callId: body.data.call_id, result: body.data.result });
      case 'tool_call.failed':
        return this.#result('✗', { event, callId: body.data.call_id, result: body.data.result });
      case 'tool_call.cancelled':
        return this.line(`✗ ${this.#name(body.data.call_id)} cancelled${body.data.cancel === undefined ? '' : ` (${body.data.cancel})`}`);
      case 'tool_call.retrying':
        return this.line(`… ${this.#name(body.data.call_id)} is tried again: ${body.data.message ?? body.data.reason}`);
      case 'tool_call.waiting':
        return this.line(`… ${this.#name(body.data.call_id)} waits: ${body.data.message}`);
      case 'tool_call.outcome_unknown':
        return this.line(`? ${this.#name(body.data.call_id)}: ${body.data.message}`);
      case 'limit.exceeded':
        return this.line(`limit reached: ${body.data.limit} (${body.data.allowed})`);
      case 'run.failed':
      case 'run.expired':
        return this.line(`run failed: ${body.data.error.message}`);
      case 'run.cancelled':
        return this.line('run cancelled');
      default:
        return undefined;
    }
  }

  #delta({ messageId, kind, offset, text }: Delta): void {
    if (kind !== 'text') return;
    this.#write(messageId, { offset, text });
  }

  /** Prints what of the message no delta has brought. */
  #message(messageId: string, text: string): void {
    this.#write(messageId, { offset: 0, text });
    this.#endText();
  }

  #write(messageId: string, { offset, text }: { readonly offset: number; readonly text: string }): void {
    if (this.#writing?.messageId !== messageId) {
      this.#endText();
      this.#writing = { messageId, length: 0 };
    }
    const fresh = text.slice(Math.max(0, this.#writing.length - offset));
    if (fresh === '') return;
    if (this.#writing.length === 0) this.#bar.clear();
    this.#writing.length += fresh.length;
    this.#io.out(terminalText(fresh));
  }

  #endText(): void {
    if (this.#writing !== undefined && this.#writing.length > 0) this.#io.out('\n');
    this.#writing = undefined;
  }

  #result(mark: string, { event, callId, result }: { readonly event: RunEvent; readonly callId: string; readonly result: ResultPreview }): void {
    const started = this.#startedAt.get(callId) ?? event.at;
    this.line(`${mark} ${this.#name(callId)} ${event.at - started} ms: ${cut(result.text, 160)}`);
  }


  #name(callId: string): string {
    return this.#names.get(callId) ?? callId;
  }
}

function compact(value: unknown): string {
  return cut(terminalJson(value), 200);
}

function cut(text: string, maxLength: number): string {
  const line = terminalLine(text.trim());
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}
