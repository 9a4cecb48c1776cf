import type { IncomingMessage } from 'node:http';

/** The content type of a message without its parameters, lowercase; empty when it has none. */
export function mediaTypeOf(message: IncomingMessage): string {
  const { 'content-type': type = '' } = message.headers;
  const end = type.indexOf(';');
  return (end === -1 ? type : type.slice(0, end)).trim().toLowerCase();
}
