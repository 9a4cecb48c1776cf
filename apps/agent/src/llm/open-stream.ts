import { LlmError } from '../ports/llm-provider.ts';
import { type Endpoint, labelOf } from './endpoint.ts';
import type { ServerEvent } from './event-text.ts';
import { fetchPost } from './fetch-post.ts';
import { responseFailure } from './http-failure.ts';
import { httpPost } from './http-post.ts';
import { type RawEvents, ResponseEvents, type STREAM_END } from './raw-events.ts';
import { networkError, protocolError } from './wire-failure.ts';
import type { WireLimits } from './wire-provider.ts';

/** User agent without a version, which would reveal details of the installation. */
const USER_AGENT = 'signalbox';

const post = httpPost();

export interface StreamRequest<Raw> {
  readonly endpoint: Endpoint;
  /** Headers with lower-case names, in addition to those of every request. */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** JSON text. */
  readonly body: string;
  readonly signal: AbortSignal;
  readonly limits: WireLimits;
  /** Called for every piece of the response's body, comments included. */
  readonly onBytes: (count: number) => void;
  /** Converts an event; undefined for one without meaning. @throws LlmError */
  readonly convert: (event: ServerEvent) => Raw | typeof STREAM_END | undefined;
}

export interface OpenedStream<Raw> {
  readonly events: RawEvents<Raw>;
  readonly requestId: string | undefined;
}

/**
 * Sends a request to a model API and resolves when its event stream has begun. Sends only the
 * headers given here, and follows no redirect.
 * @throws LlmError for a failed connection, an error response, and a page or document instead of a
 * stream
 */
export async function openStream<Raw>(request: StreamRequest<Raw>): Promise<OpenedStream<Raw>> {
  const { endpoint, limits, onBytes, convert } = request;
  const response = await sent(request);
  const { status } = response;
  if (status < 200 || status > 299)
    throw await responseFailure(response, { endpoint, nowMs: limits.clock.now(), onBytes });
  const type = response.header('content-type') ?? '';
  if (/html|json/i.test(type)) {
    response.close();
    throw protocolError(`${type} instead of an event stream`, endpoint);
  }
  return {
    events: new ResponseEvents(response, { label: labelOf(endpoint), convert, onBytes }),
    requestId: response.header('x-request-id') ?? response.header('request-id'),
  };
}

async function sent<Raw>({ endpoint, headers, body, signal, limits }: StreamRequest<Raw>) {
  const send = limits.send === undefined ? post : fetchPost(limits.send);
  try {
    return await send({
      url: endpoint.baseUrl + endpoint.path,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'user-agent': USER_AGENT,
        authorization: `Bearer ${endpoint.apiKey}`,
        ...headers,
      },
      body,
      signal,
    });
  } catch (error) {
    throw error instanceof LlmError ? error : networkError(error, endpoint);
  }
}
