import { MAX_TIMER_MS } from '../../jsonrpc/bounded-waits.ts';
import { LocalError } from '../../protocol/errors.ts';
import type { CallHandle, ClientEndpoint } from './endpoint.ts';
import { httpErrorOf, type HttpErrorContext } from './read-http-error.ts';
import { readBody } from './read-body.ts';

export interface OneWayPost {
  readonly body: string;
  readonly headers: readonly string[];
  readonly path?: string;
  readonly timeoutMs: number;
  readonly errorContext: () => HttpErrorContext;
}

const MAX_ERROR_BODY_BYTES = 64 * 1024;

/**
 * Posts a notification or response, whose only reply is a status. Resolves when the server has
 * accepted it.
 * @throws HttpError when the server refused it; LocalError `connection-lost`, `request-timeout`,
 * `invalid-argument`, with `sent`
 */
export function postOneWay(endpoint: ClientEndpoint, post: OneWayPost): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let handle: CallHandle | undefined;
  const timer = setTimeout(
    () => {
      handle?.abort();
      reject(
        new LocalError(
          'request-timeout',
          `${endpoint.origin} did not accept a message within ${post.timeoutMs} ms.`,
          { sent: true },
        ),
      );
    },
    Math.min(post.timeoutMs, MAX_TIMER_MS),
  );
  handle = endpoint.send({
    method: 'POST',
    headers: post.headers,
    body: post.body,
    ...(post.path === undefined ? {} : { path: post.path }),
    responded: (response) => {
      const { statusCode: status = 0 } = response;
      if (status >= 200 && status < 300) {
        clearTimeout(timer);
        response.on('error', () => undefined);
        response.resume();
        resolve();
        return;
      }
      readBody(response, { maxBytes: MAX_ERROR_BODY_BYTES }, (body) => {
        clearTimeout(timer);
        reject(httpErrorOf(response, body.kind === 'text' ? body.text : '', post.errorContext()));
      });
    },
    failed: (error) => {
      clearTimeout(timer);
      reject(error);
    },
  });
  return promise;
}
