import {
  createClient,
  paginate,
  ProblemError,
  unwrap,
  type Api,
  type ApiResponse,
  type Client,
  type Page,
  type RunEvent,
  type StreamOptions,
} from '@signalbox/client';
import { isPlainObject } from '../json/plain-object.ts';
import { httpUrlProblem } from '../config/http-url.ts';
import { UsageError } from './io.ts';
import { ServiceError, unknownFormat } from './service-error.ts';

const DEFAULT_PORT = '8020';
/** Time limit for a response. */
const ANSWER_LIMIT_MS = 30_000;

export interface ServicePlace {
  /** With or without `http://`. */
  readonly url: string | undefined;
  readonly token: string | undefined;
}

/** Returns the address of the service from the options `--url` and `--token`, or from the environment. */
export function servicePlace(
  options: { readonly url?: string | undefined; readonly token?: string | undefined },
  env: { readonly [name: string]: string | undefined },
): ServicePlace {
  const port = env['SIGNALBOX_PORT']?.trim();
  return {
    url:
      options.url ??
      (env['SIGNALBOX_URL'] || undefined) ??
      `http://127.0.0.1:${port === undefined || !/^[1-9]\d*$/.test(port) ? DEFAULT_PORT : port}`,
    token: options.token ?? (env['SIGNALBOX_TOKEN'] || undefined),
  };
}

/** Requests to a running service. Its methods throw ServiceError. */
export class ServiceClient {
  readonly #url: string;
  readonly #client: Client;

  /** @throws UsageError when the URL is invalid */
  constructor({ url: given = `http://127.0.0.1:${DEFAULT_PORT}`, token }: ServicePlace) {
    const url = given.includes('://') ? given : `http://${given}`;
    const problem = httpUrlProblem(url);
    if (problem !== undefined)
      throw new UsageError(`the URL of the service (--url or SIGNALBOX_URL) ${problem}`);
    this.#url = url.replace(/\/+$/, '');
    this.#client = createClient({ baseUrl: this.#url, apiKey: token, fetch: fetchDirectly });
  }

  /** Returns the body of the response to a request. `limit` aborts the request after its time limit. */
  async request<Body extends object>(
    send: (api: Api, limit: AbortSignal) => Promise<ApiResponse<Body>>,
  ): Promise<Body> {
    try {
      const body: unknown = await unwrap(
        send(this.#client.api, AbortSignal.timeout(ANSWER_LIMIT_MS)),
      );
      if (!isPlainObject(body)) throw new ServiceError(this.#foreign('its response is not JSON'));
      return body as Body;
    } catch (error) {
      throw this.#explained(error);
    }
  }

  /** Returns one page of a list. */
  async page<Entry>(
    send: (api: Api, limit: AbortSignal) => Promise<ApiResponse<Page<Entry>>>,
  ): Promise<Page<Entry>> {
    const page = await this.request(send);
    if (!Array.isArray(page.data)) throw unknownFormat();
    return page;
  }

  /** Returns the entries of every page of a list. */
  async list<Entry>(
    send: (
      api: Api,
      at: { readonly cursor?: string },
      limit: AbortSignal,
    ) => Promise<ApiResponse<Page<Entry>>>,
  ): Promise<readonly Entry[]> {
    const entries: Entry[] = [];
    const pages = paginate((at) => this.page((api, limit) => send(api, at, limit)));
    for await (const entry of pages) entries.push(entry);
    return entries;
  }

  /** Yields the stored events of a run until it is settled. A lost connection is opened again for five minutes. */
  async *events(
    id: string,
    options: Pick<StreamOptions, 'signal' | 'onRetry'>,
  ): AsyncGenerator<RunEvent> {
    try {
      for await (const frame of this.#client.runs.stream(id, options))
        if ('seq' in frame) yield frame;
    } catch (error) {
      throw this.#explained(error);
    }
  }

  #explained(error: unknown): ServiceError {
    if (error instanceof ServiceError) return error;
    if (error instanceof SyntaxError)
      return new ServiceError(this.#foreign('its response is not JSON'), { cause: error });
    if (!(error instanceof ProblemError)) return this.#unreachable(error);
    if (error.status === 401)
      return new ServiceError(
        `the service at ${this.#url} requires a token: set SIGNALBOX_TOKEN, or use --token`,
        { code: 'unauthorized' },
      );
    return error.code === 'unexpected_response'
      ? new ServiceError(this.#foreign(`status ${error.status}`))
      : new ServiceError(error.message, { code: error.code });
  }

  #foreign(reason: string): string {
    return `${this.#url} is not a Signalbox service (${reason}): check --url or SIGNALBOX_URL`;
  }

  #unreachable(error: unknown): ServiceError {
    return new ServiceError(
      `no service answers at ${this.#url} (${reasonOf(error)}): start one with "signalbox serve", or set its address with --url or SIGNALBOX_URL`,
      { cause: error },
    );
  }
}

/** Sends a request without following redirects, which would send the token elsewhere. */
function fetchDirectly(request: Request): Promise<Response> {
  return fetch(request, { redirect: 'error' });
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string')
    return cause.code;
  return cause instanceof Error ? cause.message : String(cause);
}
