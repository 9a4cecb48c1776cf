import type { JsonObject } from '@signalbox/mcp-core';
import { isPlainObject } from '../plain-object.ts';
import { httpUrlProblem } from '../config/http-url.ts';
import { UsageError } from './io.ts';

const DEFAULT_URL = 'http://127.0.0.1:8020';
/** Longer than a service that works takes to answer. */
const ANSWER_LIMIT_MS = 30_000;

/** A running service did not answer, or refused; the message says what to do. */
export class ServiceError extends Error {
  /** The code of the problem; undefined when there was no answer of a service. */
  readonly code: string | undefined;

  constructor(message: string, options: { readonly code?: string; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'ServiceError';
    this.code = options.code;
  }
}

export interface ServicePlace {
  readonly url: string | undefined;
  readonly token: string | undefined;
}

/** The REST API of a running service. Its methods throw ServiceError. */
export class ServiceClient {
  readonly #url: string;
  readonly #token: string | undefined;

  /** @throws UsageError when the URL is none */
  constructor({ url = DEFAULT_URL, token }: ServicePlace) {
    const problem = httpUrlProblem(url);
    if (problem !== undefined) throw new UsageError(`the URL of the service (--url or SIGNALBOX_URL) ${problem}`);
    this.#url = url.replace(/\/+$/, '');
    this.#token = token;
  }

  get(path: string): Promise<JsonObject> {
    return this.#send(path, { method: 'GET' });
  }

  post(path: string, body: JsonObject): Promise<JsonObject> {
    return this.#send(path, { method: 'POST', body: JSON.stringify(body) });
  }

  async #send(path: string, request: Pick<RequestInit, 'method' | 'body'>): Promise<JsonObject> {
    const authorization = this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` };
    const headers = { 'content-type': 'application/json', ...authorization };
    const { response, body } = await this.#answerTo(path, { ...request, headers, redirect: 'error', signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
    const content = jsonOf(body);
    if (response.ok && content !== undefined) return content;
    if (response.status === 401) throw new ServiceError(`the service at ${this.#url} wants its token: set SIGNALBOX_TOKEN, or use --token`, { code: 'unauthorized' });
    const code = content?.['code'];
    if (typeof code !== 'string') throw new ServiceError(`${this.#url} answers, but not as Signalbox does (status ${response.status}): check --url or SIGNALBOX_URL`);
    throw new ServiceError(String(content?.['detail'] ?? content?.['title']), { code });
  }

  async #answerTo(path: string, request: RequestInit): Promise<{ readonly response: Response; readonly body: string }> {
    try {
      const response = await fetch(`${this.#url}${path}`, request);
      return { response, body: await response.text() };
    } catch (error) {
      throw new ServiceError(`no service answers at ${this.#url} (${reasonOf(error)}): start one with "signalbox serve", or say where it is with --url or SIGNALBOX_URL`, { cause: error });
    }
  }
}

function jsonOf(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : undefined;
  } catch {
    // Whatever answered is no service of ours.
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code;
  return cause instanceof Error ? cause.message : String(cause);
}
