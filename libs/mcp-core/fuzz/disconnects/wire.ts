/** Ways in which a client leaves. */
export const DEPARTURES = ['destroy', 'half-close', 'unread'] as const;

/**
 * `destroy`: the connection breaks. `half-close`: the client ends its side, or cancels what it
 * reads. `unread`: it never read a response, and then breaks the connection.
 */
export type Departure = (typeof DEPARTURES)[number];

export interface WireRequest {
  readonly method?: 'POST' | 'GET' | 'DELETE';
  readonly path?: string;
  readonly headers?: { readonly [name: string]: string };
  /** Sent as JSON, in pieces. */
  readonly body?: unknown;
}

export interface WireEvent {
  readonly id: string | undefined;
  readonly data: string;
}

export interface WireResponse {
  readonly status: number;
  header(name: string): string | undefined;
  /** The events of a stream; a response without a stream is one event. */
  readonly events: AsyncIterator<WireEvent, undefined>;
}

/** The connections of one client. */
export interface Wire {
  /** Rejects after the client has left. */
  send(request: WireRequest): Promise<WireResponse>;
  /** Ends every connection. */
  leave(): void;
}

/** Creates the wire of a client that will leave in this way. */
export type OpenWire = (departure: Departure) => Wire;

export function headersOf({ body, headers, method }: WireRequest): Record<string, string> {
  return {
    host: 'localhost',
    accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  };
}

/** Reads the events of a body. */
export async function* readEvents(
  body: AsyncIterable<Uint8Array>,
  isStream: boolean,
): AsyncGenerator<WireEvent, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    if (!isStream) continue;
    const events = rest.split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) if (!event.startsWith(':')) yield parse(event.split('\n'));
  }
  if (!isStream && rest !== '') yield { id: undefined, data: rest };
  return undefined;
}

function parse(lines: readonly string[]): WireEvent {
  const field = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  return { id: field('id'), data: field('data') ?? '' };
}
