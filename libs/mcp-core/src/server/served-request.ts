import { metaOf } from '../era/meta-keys.ts';
import type { JsonObject, JsonRpcRequest } from '../jsonrpc/messages.ts';
import { isLoud } from '../protocol/logging-levels.ts';
import type { LoggingLevel, Progress } from '../protocol/capabilities.ts';
import type { CreateMessageParams, CreateMessageResult, ElicitParams, ElicitResult, Root } from '../protocol/client-features.ts';
import type { InteractiveContext, Question, RequestClient } from './context.ts';
import type { Exchange } from './exchange.ts';
import { ProgressReporter } from './progress-reporter.ts';

/** One request while it is served: the handler's context, and its end. */
export class ServedRequest implements InteractiveContext {
  readonly request: JsonRpcRequest;
  readonly exchange: Exchange;
  readonly signal: AbortSignal;
  readonly meta: JsonObject;
  readonly auth = undefined;
  readonly #memo = new Map<string, Promise<unknown>>();
  readonly #progress: ProgressReporter | undefined;
  #isFinished = false;

  constructor(request: JsonRpcRequest, exchange: Exchange, signal: AbortSignal) {
    this.request = request;
    this.exchange = exchange;
    this.signal = signal;
    this.meta = metaOf(request.params);
    const { progressToken } = this.meta;
    if (typeof progressToken === 'string' || Number.isInteger(progressToken)) {
      this.#progress = new ProgressReporter((update) => {
        exchange.notify('notifications/progress', { progressToken, ...update });
      });
      signal.addEventListener('abort', () => this.#progress?.silence(), { once: true });
    }
  }

  get params(): JsonObject {
    return this.request.params ?? {};
  }

  get client(): RequestClient {
    return this.exchange.client;
  }

  progress(update: Progress): void {
    this.#progress?.report(update);
  }

  log(level: LoggingLevel, data: unknown, logger?: string): void {
    const threshold = this.exchange.logLevel;
    if (threshold === undefined || this.#isFinished || this.signal.aborted || !isLoud(level, threshold)) return;
    this.exchange.notify('notifications/message', { level, ...(logger === undefined ? {} : { logger }), data: data ?? null });
  }

  elicit(key: string, params: ElicitParams): Promise<ElicitResult> {
    return this.exchange.ask({ method: 'elicitation/create', key, params, signal: this.signal });
  }

  sample(key: string, params: CreateMessageParams): Promise<CreateMessageResult> {
    return this.exchange.ask({ method: 'sampling/createMessage', key, params, signal: this.signal });
  }

  async listRoots(): Promise<readonly Root[]> {
    return this.#listRoots('roots', this.signal);
  }

  async gather(questions: { readonly [key: string]: Question }): Promise<{ readonly [key: string]: unknown }> {
    const withdrawal = new AbortController();
    const signal = AbortSignal.any([this.signal, withdrawal.signal]);
    const answers = Object.entries(questions).map(async ([key, question]) => [key, await this.#ask(key, question, signal)] as const);
    try {
      return Object.fromEntries(await Promise.all(answers));
    } finally {
      withdrawal.abort();
    }
  }

  once<T>(key: string, run: () => T | Promise<T>): Promise<T> {
    const result = this.#memo.get(key) ?? Promise.resolve().then(run);
    this.#memo.set(key, result);
    return result as Promise<T>;
  }

  startTask(): Promise<void> {
    return Promise.resolve();
  }

  closeStream(): void {
    // stdio has one stream, which stays open.
  }

  /** Sends the progress that waits; after this the request is silent. */
  finish(): void {
    this.#isFinished = true;
    this.#progress?.finish();
  }

  #ask(key: string, question: Question, signal: AbortSignal): Promise<unknown> {
    if (question.elicit !== undefined) return this.exchange.ask({ method: 'elicitation/create', key, params: question.elicit, signal });
    if (question.sample !== undefined) return this.exchange.ask({ method: 'sampling/createMessage', key, params: question.sample, signal });
    return this.#listRoots(key, signal);
  }

  async #listRoots(key: string, signal: AbortSignal): Promise<readonly Root[]> {
    const { roots } = await this.exchange.ask({ method: 'roots/list', key, params: undefined, signal });
    return roots;
  }
}
