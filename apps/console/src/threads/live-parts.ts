import type { RunEvent, RunSnapshotFrame, MessageDeltaFrame } from '@signalbox/client';
import type { ChatCall, ChatPart, ChatText } from './chat-part.ts';

/** A frame of a stream that the conversation shows, or another one, which it ignores. */
export type ChatFrame = RunEvent | MessageDeltaFrame | Omit<RunSnapshotFrame, 'partial'>;

/** Events that the conversation needs. */
export const CHAT_EVENTS = [
  'run.queued',
  'run.started',
  'run.input_required',
  'run.resumed',
  'run.cancelling',
  'message.delta',
  'message.completed',
  'turn.interrupted',
  'turn.failed',
  'tool_call.planned',
  'tool_call.approval_required',
  'tool_call.approved',
  'tool_call.dispatched',
  'tool_call.progress',
  'tool_call.input_required',
  'tool_call.resumed',
  'tool_call.completed',
  'tool_call.failed',
  'tool_call.cancelled',
  'tool_call.outcome_unknown',
  'inbox.opened',
  'inbox.answered',
] as const satisfies readonly (RunEvent['type'] | 'message.delta')[];

/** The answer of a run as it grows. Frames must come in order and once, as a stream of the client delivers them. */
export class LiveParts {
  readonly #parts = new Map<string, ChatPart>();
  #turn = 1;

  /** Takes a frame. Returns whether the parts have changed. */
  add(frame: ChatFrame): boolean {
    switch (frame.type) {
      case 'message.delta':
        return this.#addDelta(frame);
      case 'message.completed':
        this.#complete(frame.data);
        return true;
      case 'turn.interrupted':
        for (const kind of ['text', 'reasoning'])
          this.#parts.delete(`${frame.data.message_id} ${kind}`);
        return true;
      case 'tool_call.planned': {
        const { call_id: callId, turn, name, arguments: input, state } = frame.data;
        this.#parts.set(callId, {
          kind: 'call',
          key: callId,
          turn,
          name,
          arguments: input,
          state: state === 'awaiting_approval' ? 'asking' : 'running',
          seq: frame.seq,
        });
        return true;
      }
      case 'tool_call.approval_required':
      case 'tool_call.input_required':
      case 'tool_call.outcome_unknown':
        return this.#change(frame.data.call_id, { state: 'asking' });
      case 'tool_call.approved':
      case 'tool_call.dispatched':
      case 'tool_call.resumed':
        return this.#change(frame.data.call_id, { state: 'running' });
      case 'tool_call.progress': {
        const { call_id: callId, message, progress, total } = frame.data;
        const share = total === undefined ? String(progress) : `${progress} of ${total}`;
        return this.#change(callId, { note: message ?? share });
      }
      case 'tool_call.completed': {
        const { call_id: callId, result } = frame.data;
        return this.#change(callId, {
          state: 'done',
          note: undefined,
          result: previewText(result),
        });
      }
      case 'tool_call.failed': {
        const { call_id: callId, message, result } = frame.data;
        const text = previewText(result);
        return this.#change(callId, { state: 'failed', note: message, result: text });
      }
      case 'tool_call.cancelled':
        return this.#change(frame.data.call_id, { state: 'cancelled', note: undefined });
      default:
        return false;
    }
  }

  /** Returns the parts in order. A part that has not changed is the same object. */
  parts(): readonly ChatPart[] {
    return [...this.#parts.values()];
  }

  #addDelta({ message_id: messageId, kind, text }: MessageDeltaFrame): boolean {
    if (kind === 'arguments') return false;
    const key = `${messageId} ${kind}`;
    const known = this.#parts.get(key);
    const before = known === undefined || known.kind === 'call' ? '' : known.text;
    this.#set({ kind, key, turn: this.#turn, text: before + text, isWriting: true });
    return true;
  }

  #complete({ message_id: messageId, turn, text }: MessageCompleted): void {
    this.#turn = turn + 1;
    const reasoning = this.#parts.get(`${messageId} reasoning`);
    if (reasoning !== undefined && reasoning.kind !== 'call')
      this.#set({ ...reasoning, turn, isWriting: false });
    const key = `${messageId} text`;
    if (text.trim() === '') this.#parts.delete(key);
    else this.#set({ kind: 'text', key, turn, text, isWriting: false });
  }

  #set(part: ChatText): void {
    this.#parts.set(part.key, part);
  }

  #change(callId: string, change: Partial<ChatCall>): boolean {
    const call = this.#parts.get(callId);
    if (call?.kind !== 'call') return false;
    this.#parts.set(callId, { ...call, ...change });
    return true;
  }
}

type ResultPreview = Extract<RunEvent, { readonly type: 'tool_call.completed' }>['data']['result'];
type MessageCompleted = Extract<RunEvent, { readonly type: 'message.completed' }>['data'];

function previewText({ text, other_content: others }: ResultPreview): string {
  return [...(text === '' ? [] : [text]), ...others.map((type) => `[${type}]`)].join('\n');
}
