import type { Endpoint } from './endpoint.ts';
import { protocolError } from './wire-failure.ts';

/** A server-sent event. */
export interface ServerEvent {
  /** Name of the event; undefined without one. */
  readonly name: string | undefined;
  readonly data: string;
}

const DATA = 'data: ';
const END = '\n\n';

/**
 * Parses the lines of one event, each ended with LF.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export function parseEvent(bytes: Uint8Array): ServerEvent {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const dataEnd = text.length - END.length;
  if (text.startsWith(DATA) && text.indexOf('\n') === dataEnd)
    return { name: undefined, data: text.slice(DATA.length, dataEnd) };
  let name: string | undefined;
  const data: string[] = [];
  for (const line of text.replace(/^\u{feff}/u, '').split('\n')) {
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    else if (field === 'event' && value !== '') name = value;
  }
  return { name, data: data.join('\n') };
}

/** Parses the data of an event. @throws LlmError `protocol` for anything but JSON */
export function jsonOf(data: string, endpoint: Endpoint): unknown {
  try {
    return JSON.parse(data);
  } catch (error) {
    throw protocolError('an event that is not JSON', endpoint, error);
  }
}
