import type { JsonObject } from '@signalbox/mcp-core';
import type { LlmProviders, ModelRef } from '../../ports/llm-providers.ts';
import type { ModelCard } from '../../ports/model-card.ts';
import {
  LlmError,
  type Block,
  type LlmEvent,
  type LlmProvider,
  type LlmRequest,
  type NativeTurn,
  type StopReason,
  type StreamOptions,
  type Usage,
} from '../../ports/llm-provider.ts';

/** Scripted response of the model to one request. */
export interface Reply {
  readonly text?: string;
  readonly calls?: readonly {
    /** Default: unique. */ readonly id?: string;
    readonly name: string;
    readonly input?: JsonObject;
    readonly invalid?: string;
    readonly isCut?: boolean;
  }[];
  /** Whether the arguments of calls arrive as deltas; default false. */
  readonly streamsArguments?: boolean;
  readonly stop?: StopReason;
  readonly warnings?: readonly string[];
  readonly native?: NativeTurn;
  /** Default `USAGE`. */
  readonly usage?: Usage;
  readonly fail?: LlmError;
  /** Awaited after the text and before the end; aborting the request ends the wait. */
  readonly hold?: Promise<unknown>;
  /** Awaited like `hold`, whether or not the request is aborted. */
  readonly stubbornHold?: Promise<unknown>;
}

export type Script = (request: LlmRequest, index: number) => Reply;

export const USAGE: Usage = {
  input: 10,
  cacheRead: 0,
  cacheWrite: 0,
  output: 5,
  reasoning: 0,
  source: 'reported',
};

/** A provider that responds from a function and records its requests. */
export class FakeLlm implements LlmProvider, LlmProviders {
  readonly info = {
    provider: 'scripted',
    model: 'fake-1',
    scripted: true,
    notice: 'answers come from a test',
  };
  /** Models among which a sampling request may choose. */
  models: readonly ModelCard[] = [];
  /** Further models, among which no sampling request may choose. */
  cards: readonly ModelCard[] = [];
  readonly requests: LlmRequest[] = [];
  /** Patience of each request. */
  readonly patienceMs: (number | undefined)[] = [];
  readonly #script: Script;

  readonly #onRequest: () => void;

  constructor(script: Script, onRequest: () => void) {
    this.#script = script;
    this.#onRequest = onRequest;
  }

  readonly names = ['scripted'];

  /** The only provider, whatever a run calls it. */
  get(_provider: string): this {
    return this;
  }

  resolve(model: string): ModelRef {
    return { provider: this.info.provider, model };
  }

  listed(): readonly ModelCard[] {
    return [...this.models, ...this.cards];
  }

  card(model: string): ModelCard | undefined {
    return [...this.models, ...this.cards].find(
      ({ id, aliases }) => id === model || aliases.includes(model),
    );
  }

  async *stream(
    request: LlmRequest,
    { signal, patienceMs }: StreamOptions,
  ): AsyncGenerator<LlmEvent> {
    const index = this.requests.push(request) - 1;
    this.patienceMs.push(patienceMs);
    this.#onRequest();
    refuseUnpairedCalls(request);
    const reply = this.#script(request, index);
    yield { type: 'start', model: 'fake-1' };
    for (const message of reply.warnings ?? []) yield { type: 'warning', message };
    for (const delta of (reply.text ?? '').match(/.{1,4}/gs) ?? []) yield { type: 'text', delta };
    if (reply.hold !== undefined) await holdUntil(reply.hold, signal);
    await reply.stubbornHold;
    if (reply.fail !== undefined) throw reply.fail;
    const calls = reply.calls ?? [];
    for (const [position, { id, name, input = {} }] of calls.entries()) {
      if (reply.streamsArguments !== true) break;
      yield { type: 'tool_start', index: position, id: id ?? `use-${index}-${position}`, name };
      for (const delta of JSON.stringify(input).match(/.{1,8}/gs) ?? [])
        yield { type: 'tool_arguments', index: position, delta };
    }
    const content: Block[] = [
      ...(reply.text === undefined ? [] : [{ type: 'text' as const, text: reply.text }]),
      ...calls.map(({ id, name, input = {}, invalid, isCut }, position) => ({
        type: 'tool_use' as const,
        id: id ?? `use-${index}-${position}`,
        name,
        input,
        ...(invalid === undefined ? {} : { invalid }),
        ...(isCut === undefined ? {} : { isCut }),
      })),
    ];
    yield {
      type: 'finish',
      stop: reply.stop ?? (calls.length > 0 ? 'tool_use' : 'end'),
      usage: reply.usage ?? USAGE,
      model: 'fake-1',
      message: {
        role: 'assistant',
        content,
        ...(reply.native === undefined ? {} : { native: reply.native }),
      },
    };
  }
}

/** Returns the given calls, turn by turn, and then the answer. */
export function callsThenAnswer(
  turns: readonly NonNullable<Reply['calls']>[],
  answer = 'done',
): Script {
  return ({ messages }) => {
    const taken = messages.filter((message) => message.role === 'assistant').length;
    const calls = turns[taken];
    return calls === undefined ? { text: answer } : { calls };
  };
}

/** Real providers refuse a conversation in which a call is not answered once, in the very next message. */
function refuseUnpairedCalls({ messages }: LlmRequest): void {
  for (const [index, { content }] of messages.entries()) {
    const asked = content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
    const answered = (messages[index + 1]?.content ?? []).flatMap((block) =>
      block.type === 'tool_result' ? [block.toolUseId] : [],
    );
    if (JSON.stringify(asked) !== JSON.stringify(answered))
      throw new LlmError('invalid', `calls ${asked.join()} are answered by ${answered.join()}`);
    if (asked.length > 0 && messages[index + 2]?.role === 'user')
      throw new LlmError('invalid', 'two user messages follow each other');
  }
}

async function holdUntil(held: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(new LlmError('aborted', 'the request was aborted'));
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  await Promise.race([held, promise]);
}
