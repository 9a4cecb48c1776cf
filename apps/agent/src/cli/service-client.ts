import type { JsonObject } from '@signalbox/mcp-core';
import { isPlainObject } from '../json/plain-object.ts';
import { httpUrlProblem } from '../config/http-url.ts';
import { UsageError } from './io.ts';

const DEFAULT_PORT = '8020';
/** Time limit for a response. */
const ANSWER_LIMIT_MS = 30_000;

/** Error when a running service does not answer or rejects a request; the message says what to do. */
export class ServiceError extends Error {
  /** Code of the problem; undefined when no service answered. */
  readonly code: string | undefined;

  constructor(message: string, options: { readonly code?: string; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'ServiceError';
    this.code = options.code;
  }
}

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

/** The REST API of a running service. Its methods throw ServiceError. */
export class ServiceClient {
  readonly #url: string;
  readonly #token: string | undefined;

  /** @throws UsageError when the URL is invalid */
  constructor({ url: given = `http://127.0.0.1:${DEFAULT_PORT}`, token }: ServicePlace) {
    const url = given.includes('://') ? given : `http://${given}`;
    const problem = httpUrlProblem(url);
    if (problem !== undefined)
      throw new UsageError(`the URL of the service (--url or SIGNALBOX_URL) ${problem}`);
    this.#url = url.replace(/\/+$/, '');
    this.#token = token;
  }

  /** Returns the entries of every page of a list. */
  async list(
    path: string,
    query: { readonly [name: string]: string } = {},
  ): Promise<readonly unknown[]> {
    const entries: unknown[] = [];
    let cursor: string | undefined;
    do {
      const search = new URLSearchParams({
        ...query,
        ...(cursor === undefined ? {} : { cursor }),
      }).toString();
      const { data, next_cursor: next } = await this.get(
        `${path}${search === '' ? '' : `?${search}`}`,
      );
      if (!Array.isArray(data))
        throw new ServiceError(
          'the response of the service has an unknown format: use the same version of signalbox for the command and the service',
        );
      entries.push(...(data as unknown[]));
      cursor = typeof next === 'string' ? next : undefined;
    } while (cursor !== undefined);
    return entries;
  }

  /** Yields the JSON of each server-sent event, until the service ends the stream. */
  async *stream(path: string, signal: AbortSignal): AsyncGenerator<JsonObject> {
    const response = await this.#fetch(path, {
      method: 'GET',
      headers: this.#headers({ accept: 'text/event-stream' }),
      redirect: 'error',
      signal,
    });
    if (!response.ok || response.body === null)
      throw this.#problemOf(response, await response.text());
    let text = '';
    for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
      const frames = `${text}${part}`.split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames) {
        const data = jsonOf(/^data: (.*)$/m.exec(frame)?.[1] ?? '');
        if (data !== undefined) yield data;
      }
    }
  }

  get(path: string): Promise<JsonObject> {
    return this.#send(path, { method: 'GET' });
  }

  post(
    path: string,
    body: JsonObject,
    headers: { readonly [name: string]: string } = {},
  ): Promise<JsonObject> {
    return this.#send(path, { method: 'POST', body: JSON.stringify(body), headers });
  }

  delete(path: string): Promise<JsonObject> {
    return this.#send(path, { method: 'DELETE' });
  }

  async #send(
    path: string,
    {
      headers,
      ...request
    }: {
      readonly method: string;
      readonly body?: string;
      readonly headers?: { readonly [name: string]: string };
    },
  ): Promise<JsonObject> {
    const { response, body } = await this.#answerTo(path, {
      ...request,
      headers: this.#headers(headers),
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
    const content = jsonOf(body);
    if (response.ok && content !== undefined) return content;
    throw this.#problemOf(response, body);
  }

  #problemOf({ status }: Response, body: string): ServiceError {
    if (status === 401)
      return new ServiceError(
        `the service at ${this.#url} requires a token: set SIGNALBOX_TOKEN, or use --token`,
        { code: 'unauthorized' },
      );
    const content = jsonOf(body);
    const code = content?.['code'];
    if (typeof code !== 'string')
      return new ServiceError(
        `${this.#url} is not a Signalbox service (status ${status}): check --url or SIGNALBOX_URL`,
      );
    return new ServiceError(String(content?.['detail'] ?? content?.['title']), { code });
  }

  #headers(more: { readonly [name: string]: string } = {}): { readonly [name: string]: string } {
    return {
      'content-type': 'application/json',
      ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
      ...more,
    };
  }

  async #answerTo(
    path: string,
    request: RequestInit,
  ): Promise<{ readonly response: Response; readonly body: string }> {
    const response = await this.#fetch(path, request);
    try {
      return { response, body: await response.text() };
    } catch (error) {
      throw this.#unreachable(error);
    }
  }

  async #fetch(path: string, request: RequestInit): Promise<Response> {
    try {
      return await fetch(`${this.#url}${path}`, request);
    } catch (error) {
      throw this.#unreachable(error);
    }
  }

  #unreachable(error: unknown): ServiceError {
    return new ServiceError(
      `no service answers at ${this.#url} (${reasonOf(error)}): start one with "signalbox serve", or set its address with --url or SIGNALBOX_URL`,
      { cause: error },
    );
  }
}

function jsonOf(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : undefined;
  } catch {
    // Another program answered.
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string')
    return cause.code;
  return cause instanceof Error ? cause.message : String(cause);
}
