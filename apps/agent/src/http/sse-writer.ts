import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Clock } from '../ports/clock.ts';

export interface SseFrame {
  /** Event id. Absent for frames that are not replayed to a reconnecting client. */
  readonly id?: number;
  readonly event: string;
  readonly data: unknown;
}

export interface SseOptions {
  readonly clock: Clock;
  readonly headers?: { readonly [name: string]: string };
}

/**
 * Milliseconds without progress after which a slow reader is disconnected. It reconnects with its
 * last event id.
 */
export const STALL_MS = 60_000;

/** Returns a frame as text. */
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

  /** Writes a frame, or its text. Resolves when the reader can take more or has disconnected. */
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

  /** Writes a comment, unless earlier output is still pending. */
  comment(text: string): void {
    if (!this.closed && !this.#response.writableNeedDrain) this.#response.write(`: ${text}\n\n`);
  }

  end(): void {
    this.#response.end();
  }
}
