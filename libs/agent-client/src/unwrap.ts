import { ProblemError } from './problem-error.ts';

/** Response of a request of `api`. */
export interface ApiResponse<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/**
 * Returns the body of a successful response.
 * @throws ProblemError if the service rejected the request; the error of `fetch` if it was not reached or the request was aborted.
 * @example
 * ```ts
 * import { createClient, unwrap } from '@signalbox/client';
 *
 * const { api } = createClient({ baseUrl: 'http://127.0.0.1:8020' });
 * const { data } = await unwrap(api.GET('/v1/servers'));
 * console.log(data.map(({ name, state }) => `${name} ${state}`));
 * ```
 */
export async function unwrap<Data>(request: Promise<ApiResponse<Data>>): Promise<Data> {
  const { data, error, response } = await request;
  if (!response.ok) throw new ProblemError(response, error);
  // A successful response without a body has the type `undefined`.
  return data as Data;
}
