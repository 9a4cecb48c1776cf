import type { RunEngine } from '../ports/run-engine.ts';
import type { InboxItem } from '../ports/store/inbox.ts';
import type { StoreReader } from '../ports/store.ts';
import type { ToolCall } from '../ports/store/tool-call.ts';
import type { Recording } from './recording.ts';
import type { ReplayClock } from './replay-clock.ts';
import type { ReplayState } from './replay-state.ts';

export interface PersonOptions {
  readonly recording: Recording;
  readonly state: ReplayState;
  readonly engine: RunEngine;
  readonly read: StoreReader;
  readonly clock: ReplayClock;
}

/** Person who answers inbox items as recorded. */
export class RecordedPerson {
  readonly #options: PersonOptions;
  readonly #used = new Set<InboxItem>();

  constructor(options: PersonOptions) {
    this.#options = options;
  }

  async answer(itemId: string): Promise<void> {
    const { state, engine, read, clock } = this.#options;
    const item = await read.inboxItem(itemId);
    const call = item?.callId === undefined ? undefined : await read.toolCall(item.callId);
    if (item === undefined || call === undefined) return;
    const recorded = this.#recordedItem(item, call);
    if (recorded === undefined)
      return state.differ(
        `turn ${call.turn}, call ${call.position + 1} (${call.wireName}): a person is asked (${item.kind}), but not in the recorded run`,
      );
    this.#used.add(recorded);
    if (recorded.state === 'expired') return clock.skip(item.expiresAt - clock.now());
    if (recorded.response === undefined) return state.stop();
    const { remembered_approval_id: _, ...response } = recorded.response;
    await engine.respond(itemId, response);
  }

  #recordedItem({ kind }: InboxItem, { turn, position }: ToolCall): InboxItem | undefined {
    const { items, calls } = this.#options.recording;
    const recordedCall = calls.find((call) => call.turn === turn && call.position === position);
    return items.find(
      (item) => item.kind === kind && item.callId === recordedCall?.id && !this.#used.has(item),
    );
  }
}
