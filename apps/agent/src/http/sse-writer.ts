import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

export interface SseFrame {
  /** Absent for frames that a reconnecting client must not count. */
  readonly id?: number;
  readonly event: string;
  readonly data: unknown;
}

/** Writes server-sent events and waits for a slow reader instead of buffering. @see https://html.spec.whatwg.org/multipage/server-sent-events.html */
export class SseWriter {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse, headers: { readonly [name: string]: string } = {}) {
    this.#response = response;
    const all = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no', ...headers };
    for (const [name, value] of Object.entries(all)) response.setHeader(name, value);
    response.statusCode = 200;
    response.flushHeaders();
  }

  get closed(): boolean {
    return this.#response.closed || this.#response.destroyed;
  }

  /** Resolves when the reader can take more, or is gone. */
  async write(frame: SseFrame): Promise<void> {
    const id = frame.id === undefined ? '' : `id: ${frame.id}\n`;
    await this.#send(`${id}event: ${frame.event}\ndata: ${JSON.stringify(frame.data)}\n\n`);
  }

  /** Left out while the reader has not taken what was written before. */
  comment(text: string): void {
    if (!this.closed && !this.#response.writableNeedDrain) this.#response.write(`: ${text}\n\n`);
  }

  end(): void {
    this.#response.end();
  }

  async #send(text: string): Promise<void> {
    if (this.closed || this.#response.write(text)) return;
    const gone = new AbortController();
    const onClose = (): void => gone.abort();
    this.#response.once('close', onClose);
    await once(this.#response, 'drain', { signal: gone.signal }).catch((error: unknown) => {
      if (!gone.signal.aborted) throw error;
    });
    this.#response.off('close', onClose);
  }
}
