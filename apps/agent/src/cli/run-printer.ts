import type { RunEvent } from '../ports/store/run-event.ts';
import { eventBody, type ResultPreview, type RunEventTypes } from '../run/core/events.ts';
import type { RunFrame } from '../run/follow/follow-run.ts';
import type { Delta } from '../run/follow/mailbox.ts';
import { terminalJson, terminalLine, terminalText } from '../text/terminal-text.ts';
import type { Io } from './io.ts';
import { MarkedText, wrapLine } from './marked-text.ts';
import { ProgressBar } from './progress-bar.ts';

/**
 * Prints a run for a person: the tool calls with their progress and results, and the answer. At a terminal the model's text is printed
 * as it arrives, with a prefix on each line. Otherwise stdout receives only the answer. Terminal control sequences are removed.
 */
export class RunPrinter {
  readonly #io: Io;
  readonly #bar: ProgressBar;
  readonly #names = new Map<string, string>();
  readonly #startedAt = new Map<string, number>();
  /** Message being printed. */
  #writing: { readonly messageId: string; readonly text: MarkedText; length: number } | undefined;

  constructor(io: Io) {
    this.#io = io;
    this.#bar = new ProgressBar(io);
  }

  frame(frame: RunFrame): void {
    if (frame.type === 'event') this.#event(frame.event);
    if (frame.type === 'delta') this.#delta(frame.delta);
  }

  /** Prints a line of `signalbox run` between the lines of the model. */
  line(text: string): void {
    this.end();
    const line = terminalLine(text);
    this.#io.err(`${this.#io.isTerminal ? wrapLine(line, this.#io.columns) : line}\n`);
  }

  end(): void {
    this.#bar.clear();
    this.#endText();
  }

  #event(event: RunEvent): void {
    const body = eventBody(event);
    switch (body.type) {
      case 'run.started':
        return this.line(`run ${event.runId}${modelOf(body.data)}`);
      case 'turn.failed':
        return body.data.retryable
          ? this.line(
              `… the model request is retried at ${body.data.next_attempt_at}: ${body.data.error.message}`,
            )
          : undefined;
      case 'message.completed':
        return this.#message(body.data);
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
        return this.line(
          `✗ ${this.#name(body.data.call_id)} cancelled${body.data.cancel === undefined ? '' : ` (${body.data.cancel})`}`,
        );
      case 'tool_call.retrying':
        return this.line(
          `… ${this.#name(body.data.call_id)} is retried: ${body.data.message ?? body.data.reason}`,
        );
      case 'tool_call.waiting':
        return this.line(`… ${this.#name(body.data.call_id)} waits: ${body.data.message}`);
      case 'tool_call.working':
        return this.line(`… ${this.#name(body.data.call_id)} continues as a task of its server`);
      case 'tool_call.outcome_unknown':
        return this.line(`? ${this.#name(body.data.call_id)}: ${body.data.message}`);
      case 'usage.updated':
        return body.data.source === 'server'
          ? this.line(
              `· ${body.data.server ?? 'a server'} used the model ${body.data.model} (sampling)`,
            )
          : undefined;
      case 'limit.exceeded':
        return this.line(`limit reached: ${body.data.limit} (${body.data.allowed})`);
      case 'run.completed':
        this.end();
        if (!this.#io.isOutTerminal) this.#io.out(`${terminalText(body.data.answer)}\n`);
        return undefined;
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
    if (kind === 'text' && this.#io.isOutTerminal) this.#write(messageId, { offset, text });
  }

  /** Prints the rest of a message after its deltas. Unless stdout is a terminal, the last message is printed as the answer instead. */
  #message({
    message_id: messageId,
    text,
    tool_uses: toolUses,
    is_partial: isPartial,
  }: RunEventTypes['message.completed']): void {
    if (!this.#io.isOutTerminal && toolUses.length === 0 && !isPartial) return;
    this.#write(messageId, { offset: 0, text });
    this.#endText();
  }

  #write(
    messageId: string,
    { offset, text }: { readonly offset: number; readonly text: string },
  ): void {
    if (this.#writing?.messageId !== messageId) {
      this.#endText();
      this.#writing = {
        messageId,
        text: new MarkedText(this.#io.isOutTerminal ? this.#io.columns : Number.POSITIVE_INFINITY),
        length: 0,
      };
    }
    const fresh = text.slice(Math.max(0, this.#writing.length - offset));
    if (fresh === '') return;
    if (this.#writing.length === 0) this.#bar.clear();
    this.#writing.length += fresh.length;
    this.#print(this.#writing.text.add(fresh));
  }

  #endText(): void {
    if (this.#writing !== undefined) this.#print(this.#writing.text.end());
    this.#writing = undefined;
  }

  #print(text: string): void {
    if (this.#io.isOutTerminal) this.#io.out(text);
    else this.#io.err(text);
  }

  #result(
    mark: string,
    {
      event,
      callId,
      result,
    }: { readonly event: RunEvent; readonly callId: string; readonly result: ResultPreview },
  ): void {
    const started = this.#startedAt.get(callId) ?? event.at;
    this.line(`${mark} ${this.#name(callId)} ${event.at - started} ms: ${cut(result.text, 160)}`);
  }

  #name(callId: string): string {
    return this.#names.get(callId) ?? callId;
  }
}

/** Returns the words about the model of a run. A call without a model has none. */
function modelOf({ model, provider, scripted }: RunEventTypes['run.started']): string {
  if (model === undefined) return '';
  return scripted ? ' (scripted: no model is configured)' : ` with ${provider} ${model}`;
}

function compact(value: unknown): string {
  return cut(terminalJson(value), 200);
}

function cut(text: string, maxLength: number): string {
  const line = terminalLine(text.trim());
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}
