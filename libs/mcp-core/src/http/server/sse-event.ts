/** The fields of every event stream; the last keeps proxies from buffering it. */
export const EVENT_STREAM_FIELDS = [
  'content-type',
  'text/event-stream',
  'cache-control',
  'no-cache, no-transform',
  'x-accel-buffering',
  'no',
] as const;

/** A comment, which readers ignore. */
export const KEEP_ALIVE = ':\n\n';

/**
 * One event. `data` must be a single line, which JSON text is.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function sseEvent(data: string, id?: string): string {
  return id === undefined ? `data: ${data}\n\n` : `id: ${id}\ndata: ${data}\n\n`;
}

/** An event without data that tells where to resume, and how long to wait before that, in milliseconds. */
export function primingEvent(id: string, retryMs: number): string {
  return `id: ${id}\nretry: ${String(retryMs)}\ndata: \n\n`;
}
