/** Header fields of every event stream; the last disables buffering in proxies. */
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
 * Encodes an event. `data` must be a single line; JSON text is.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function sseEvent(data: string, id?: string): string {
  return id === undefined ? `data: ${data}\n\n` : `id: ${id}\ndata: ${data}\n\n`;
}

/**
 * Encodes an event without data that carries the id for resuming and the retry delay in
 * milliseconds.
 */
export function primingEvent(id: string, retryMs: number): string {
  return `id: ${id}\nretry: ${String(retryMs)}\ndata: \n\n`;
}
