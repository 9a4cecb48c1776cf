import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Clock } from '../ports/clock.ts';

export interface SseFrame {
  /** Absent for frames that a reconnecting client must not count. */
  readonly id?: number;
  readonly event: string;
  readonly data: unknown;
}

export interface SseOptions {
  readonly clock: Clock;
  readonly headers?: { readonly [name: string]: string };
}

/** How long a reader may take nothing of what was written before its connection is cut; it comes again with its last event id. */
export const STALL_MS = 60_000;

/** A frame as it goes out. */
export function frameText({ id, event, data }: SseFrame): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Writes server-sent events and waits for a slow reader instead of buffering. @see https://html.spec.whatwg.org/multipage/server-sent-events.html */
export class SseWriter {
  readonly #response: ServerResponse;
  readonly #clock: Clock;

  constructor(response: ServerResponse, { clock, headers = {} }: SseOptions) {
    this.#response = response;
    this.#clock = clock;
    const all = {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      ...headers,
    };
    for (const [name, value] of Object.entries(all)) response.setHeader(name, value);
    response.statusCode = 200;
    response.flushHeaders();
  }

  get closed(): boolean {
    return this.#response.closed || this.#response.destroyed;
  }

  /** Takes one frame, or its text. Resolves when the reader can take more, or is gone. */
  async write(frame: SseFrame | string): Promise<void> {
    if (this.closed || this.#response.write(typeof frame === 'string' ? frame : frameText(frame)))
      return;
    const gone = new AbortController();
    const onClose = (): void => gone.abort();
    this.#response.once('close', onClose);
    const cancelStall = this.#clock.after(STALL_MS, () => this.#response.destroy());
    await once(this.#response, 'drain', { signal: gone.signal }).catch((error: unknown) => {
      if (!gone.signal.aborted) throw error;
    });
    cancelStall();
    this.#response.off('close', onClose);
  }

  /** Left out while the reader has not taken what was written before. */
  comment(text: string): void {
    if (!this.closed && !this.#response.writableNeedDrain) this.#response.write(`: ${text}\n\n`);
  }

  end(): void {
    this.#response.end();
  }
}
