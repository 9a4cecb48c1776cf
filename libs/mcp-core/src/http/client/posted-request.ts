import type { IncomingMessage } from 'node:http';
import { isJsonObject, readEnvelope } from '../../jsonrpc/envelope.ts';
import { textCostProblem, type MessageLimits } from '../../jsonrpc/message-limits.ts';
import type { RequestId } from '../../jsonrpc/messages.ts';
import { LocalError } from '../../protocol/errors.ts';
import type { HttpError } from '../../protocol/http-error.ts';
import type { Call, CallHandle, ClientEndpoint } from './endpoint.ts';
import { mediaTypeOf } from '../headers/media-types.ts';
import { type HttpErrorContext, httpErrorOf } from './read-http-error.ts';
import { type Body, readBody } from './read-body.ts';
import { SseReader } from './sse-reader.ts';
import { StreamWatchdog } from './stream-watchdog.ts';

/** The connection of a posted request. */
export interface RequestOwner {
  readonly endpoint: ClientEndpoint;
  readonly limits: MessageLimits;
  /**
   * Receives a parsed message. The response to a running request is passed to its `answered` first.
   * `relatedTo`: the request on whose stream it arrived.
   */
  deliver(value: unknown, relatedTo: RequestId): void;
  /** Receives the text of an event. */
  deliverText(text: string, relatedTo: RequestId): void;
  /** Called when the request ended without a response; `error` is absent when nothing was sent. */
  ended(request: PostedRequest, error: Error | undefined): void;
  /** Called with the response, before its body is read. */
  responded(request: PostedRequest, response: IncomingMessage): void;
  /**
   * Called for a response with an error status; returns true when the owner handles the failure.
   */
  fallBack(request: PostedRequest, error: HttpError): boolean;
  /** Called when the request's stream ended early; returns false when it cannot be resumed. */
  resume(request: PostedRequest, stream: SseReader): boolean;
  errorContext(): HttpErrorContext;
  /** Returns the error of a request whose response was not read; `problem` begins with a verb. */
  refusal(problem: string): LocalError;
}

export interface RequestPost {
  readonly id: RequestId;
  readonly method: string;
  readonly isModern: boolean;
  readonly headers: readonly string[];
  readonly body: string;
  /** Whether the request names a session, which a 404 then ends. */
  readonly hasSession: boolean;
  /** @see SendOptions.onCredentials */
  readonly onCredentials?: ((credentials: string) => void) | undefined;
}

/** Milliseconds that a server may keep a stream open after the response. */
const LINGER_MS = 1000;

/** A running request: a POST whose response is JSON or an event stream. */
export class PostedRequest implements Call {
  readonly method = 'POST';
  readonly post: RequestPost;
  readonly headers: readonly string[];
  readonly body: string;
  /** Resolves when the request may have reached the server; rejects when it has not. */
  readonly sent: Promise<void>;
  readonly #owner: RequestOwner;
  readonly #settleSent: { readonly resolve: () => void; readonly reject: (error: Error) => void };
  #handle: CallHandle | undefined;
  #response: IncomingMessage | undefined;
  #state: 'running' | 'answered' | 'over' = 'running';
  #linger: NodeJS.Timeout | undefined;
  #onOver: (() => void) | undefined;

  constructor(owner: RequestOwner, post: RequestPost) {
    this.post = post;
    this.headers = post.headers;
    this.body = post.body;
    this.#owner = owner;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.sent = promise;
    this.#settleSent = { resolve, reject };
  }

  send(): void {
    this.#handle = this.#owner.endpoint.send(this);
  }

  /** Ends the request when its response arrived on any stream. */
  answered(): void {
    this.#state = 'answered';
    this.#onOver?.();
    const isStream = this.#response !== undefined && !this.#response.complete;
    if (isStream) this.#linger = setTimeout(() => this.#handle?.abort(), LINGER_MS);
  }

  /** Ends the request without a notification. */
  abort(): void {
    this.#state = 'over';
    this.#settleSent.resolve();
    clearTimeout(this.#linger);
    this.#onOver?.();
    this.#handle?.abort();
  }

  /** Registers a callback for the end of the request: its response, failure or abortion. */
  onOver(end: () => void): void {
    this.#onOver = end;
  }

  sending(credentials: string): void {
    this.post.onCredentials?.(credentials);
  }

  responded(response: IncomingMessage): void {
    this.#response = response;
    this.#settleSent.resolve();
    this.#owner.responded(this, response);
    const { statusCode: status = 0 } = response;
    const isSuccess = status >= 200 && status < 300;
    if (isSuccess && mediaTypeOf(response.headers) === 'text/event-stream')
      this.#readStream(response);
    else readBody(response, this.#owner.limits, (body) => this.#readAnswer(response, body));
  }

  failed(error: Error, isSent: boolean): void {
    if (isSent) {
      this.#settleSent.resolve();
      this.fail(error);
      return;
    }
    this.#state = 'over';
    this.#owner.ended(this, undefined);
    this.#settleSent.reject(error);
  }

  fail(error: Error): void {
    if (this.#state !== 'running') return;
    this.#state = 'over';
    this.#onOver?.();
    this.#owner.ended(this, error);
  }

  #readStream(response: IncomingMessage): void {
    const owner = this.#owner;
    // Attached before the reader, which reports comments to it.
    const watchdog = new StreamWatchdog(response);
    const reader = new SseReader(
      {
        event: (event) => {
          if (this.#state !== 'over' && event.name === 'message')
            owner.deliverText(event.data, this.post.id);
        },
        comment: () => watchdog.comment(),
        tooLarge: (problem) => {
          this.fail(owner.refusal(problem));
          this.#handle?.abort();
        },
      },
      owner.limits,
    );
    const onEnd = (cause?: Error): void => {
      clearTimeout(this.#linger);
      if (this.#state !== 'running' || owner.resume(this, reader)) return;
      this.fail(
        new LocalError(
          'connection-lost',
          `${owner.endpoint.origin} ended a stream before the response`,
          { sent: true, cause },
        ),
      );
    };
    response.on('data', (chunk: Buffer) => reader.push(chunk));
    response.on('close', () => reader.end());
    response.on('end', () => onEnd());
    response.on('error', onEnd);
  }

  #readAnswer(response: IncomingMessage, body: Body): void {
    if (this.#state !== 'running') return;
    const owner = this.#owner;
    if (body.kind === 'broken') {
      this.fail(
        new LocalError(
          'connection-lost',
          `The connection to ${owner.endpoint.origin} broke during a response`,
          { sent: true, cause: body.error },
        ),
      );
      return;
    }
    const { statusCode: status = 0 } = response;
    const isSuccess = status >= 200 && status < 300;
    if (body.kind === 'refused') {
      this.fail(
        isSuccess
          ? owner.refusal(body.problem)
          : this.#httpError(response, '', `the body ${body.problem}`),
      );
    } else if (isSuccess && mediaTypeOf(response.headers) === 'application/json') {
      this.#readJson(response, body.text);
    } else if (isSuccess) {
      this.fail(
        this.#httpError(
          response,
          body.text,
          body.text === '' ? 'no response to the request' : 'neither JSON nor an event stream',
        ),
      );
    } else {
      this.#readError(response, body.text);
    }
  }

  #readJson(response: IncomingMessage, text: string): void {
    const problem = textCostProblem(text, this.#owner.limits);
    if (problem !== undefined) return this.fail(this.#owner.refusal(problem));
    const encoding = response.headers['content-encoding'] ?? 'identity';
    const value = encoding === 'identity' ? parseJson(text) : undefined;
    if (value === undefined) {
      this.fail(
        this.#httpError(
          response,
          text,
          encoding === 'identity'
            ? 'the body is not JSON'
            : 'the body has a content encoding, which the request did not accept',
        ),
      );
      return;
    }
    this.#owner.deliver(value, this.post.id);
    if (this.#isRunning())
      this.fail(this.#httpError(response, text, 'the body is not a response to the request'));
  }

  /**
   * Handles a status other than 2xx: a JSON-RPC response in the body counts, unless the status
   * takes precedence.
   */
  #readError(response: IncomingMessage, body: string): void {
    const { statusCode: status = 0 } = response;
    const text = textCostProblem(body, this.#owner.limits) === undefined ? body : '';
    const value = parseJson(text);
    const isOwn = isJsonObject(value) && value.id === this.post.id && value.method === undefined;
    const error = httpErrorOf(response, text, {
      ...this.#owner.errorContext(),
      hasSession: this.post.hasSession,
    });
    const isOfStatus = status === 401 || status === 403 || error.isSessionLost;
    const isAnswer =
      !isOfStatus && isJsonObject(value) && (isOwn || (status < 500 && isErrorWithoutId(value)));
    if (this.#owner.fallBack(this, error)) return;
    if (isAnswer) this.#owner.deliver({ ...value, id: this.post.id }, this.post.id);
    this.fail(error);
  }

  /**
   * Whether the request still runs. A method, because the type checker does not expect `deliver` to
   * change the field.
   */
  #isRunning(): boolean {
    return this.#state === 'running';
  }

  #httpError(response: IncomingMessage, text: string, problem: string): HttpError {
    return httpErrorOf(response, text, {
      ...this.#owner.errorContext(),
      problem,
      hasSession: false,
    });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isErrorWithoutId(value: { readonly [key: string]: unknown }): boolean {
  const envelope = readEnvelope(value);
  return envelope.kind === 'error' && envelope.message.id === undefined;
}
