import { basename } from 'node:path';
import {
  type LlmEvent,
  LlmError,
  type LlmProvider,
  type LlmRequest,
  type ProviderInfo,
  type StopReason,
  type ToolSpec,
  type Usage,
} from '../../ports/llm-provider.ts';
import type { Clock } from '../../ports/clock.ts';
import { CallGuard } from '../call-guard.ts';
import { delay } from '../delay.ts';
import { assertPairedCalls } from '../history.ts';
import { MessageBuilder } from '../message-builder.ts';
import { tokensIn } from '../../usage/estimate-tokens.ts';
import { withRetries } from '../retry.ts';
import { estimatedUsage } from '../usage-counts.ts';
import { type Choice, chooseTurn } from './choose-turn.ts';
import { readConversation } from './conversation.ts';
import { type PlayedTurn, playTurn, textDeltas } from './play-turn.ts';
import type { Pace, Scenario, Turn } from './scenario.ts';
import { scopeOf } from './scope.ts';
import { unansweredText } from './unanswered.ts';

export interface ScriptedProviderOptions {
  /** Name of the provider. Default: `scripted`. */
  readonly name?: string | undefined;
  readonly scenarios: () => readonly Scenario[];
  /** File of the scenarios. Default: they are those of the demos. */
  readonly file?: string | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  /** Whether scenarios keep their pace; otherwise every delta is sent at once. */
  readonly paced: boolean;
}

const SET_A_KEY = 'Set OPENAI_API_KEY or ANTHROPIC_API_KEY and start again to use a model.';
const NO_PACE: Pace = { ttftMs: 0, tokensPerSec: 0 };
const DEADLINE_MS = 600_000;

/**
 * Answers from scenarios instead of a model, with values from prompts and tool results. Stateless,
 * so any process can play the next turn.
 */
export class ScriptedProvider implements LlmProvider {
  readonly info: ProviderInfo;
  readonly #options: ScriptedProviderOptions;

  constructor(options: ScriptedProviderOptions) {
    this.info = {
      provider: options.name ?? 'scripted',
      model: 'scripted',
      scripted: true,
      notice: noticeOf(options.file),
    };
    this.#options = options;
  }

  card(): undefined {
    return undefined;
  }

  async *stream(
    request: LlmRequest,
    { signal }: { readonly signal: AbortSignal },
  ): AsyncGenerator<LlmEvent> {
    const { clock, random } = this.#options;
    const guard = new CallGuard({
      clock,
      signal,
      label: 'the scripted provider',
      idleTimeoutMs: DEADLINE_MS,
      deadlineMs: DEADLINE_MS,
    });
    try {
      guard.signal.throwIfAborted();
      assertPairedCalls(request.messages);
      const conversation = readConversation(request);
      const choice = chooseTurn(this.#options.scenarios(), conversation, request);
      if (choice.type === 'stuck') throw stuckError(choice);
      if (choice.type === 'unknown' && request.purpose === 'sampling')
        throw new LlmError(
          'invalid',
          `No model is configured, and no script answers this sampling request. ${SET_A_KEY}`,
        );
      if (choice.type === 'turn')
        await withRetries(failing(choice.turn), { clock, random, signal: guard.signal });
      const played =
        choice.type === 'turn'
          ? playTurn(
              choice,
              scopeOf(conversation, choice.labels, choice.groups),
              conversation.ordinal,
            )
          : this.#unknownPrompt(request);
      yield* this.#emit(played, { guard, request, choice });
    } finally {
      guard.close();
    }
  }

  async *#emit(
    played: PlayedTurn,
    call: { readonly guard: CallGuard; readonly request: LlmRequest; readonly choice: Choice },
  ): AsyncGenerator<LlmEvent> {
    const pace = this.#paceOf(call.choice);
    const message = new MessageBuilder();
    await this.#wait(pace.ttftMs, call.guard);
    yield { type: 'start', model: this.info.model };
    for (const delta of played.deltas) {
      await this.#wait(pace.tokensPerSec === 0 ? 0 : 1000 / pace.tokensPerSec, call.guard);
      message.add(delta);
      yield delta;
    }
    call.guard.signal.throwIfAborted();
    yield finishEvent({
      stop: played.stop,
      message,
      model: this.info.model,
      usage: usageOf(call.choice, { request: call.request, message }),
    });
  }

  #paceOf(choice: Choice): Pace {
    if (!this.#options.paced || choice.type !== 'turn') return NO_PACE;
    return choice.turn.pace ?? choice.scenario.pace ?? NO_PACE;
  }

  async #wait(ms: number, { signal }: CallGuard): Promise<void> {
    if (ms === 0) signal.throwIfAborted();
    else await delay(ms, { clock: this.#options.clock, signal });
  }

  #unknownPrompt({ tools }: LlmRequest): PlayedTurn {
    const offered = new Set(tools.map(({ name }) => name));
    const demos = this.#options
      .scenarios()
      .map(({ title, prompt, turns }) => {
        const isPlayable = turns[0]?.when.tools?.every((name) => offered.has(name)) ?? true;
        return `- ${title}: "${prompt}"${isPlayable ? '' : ' (needs --demo)'}`;
      })
      .join('\n');
    return {
      deltas: textDeltas(unansweredText(`Try one of these prompts:\n${demos}\n${SET_A_KEY}`)),
      stop: 'end',
    };
  }
}

function failing({ fail }: Turn): () => Promise<void> {
  let attempts = 0;
  return async () => {
    attempts += 1;
    if (fail === undefined || attempts > (fail.times ?? Number.POSITIVE_INFINITY)) return;
    throw new LlmError(
      fail.kind,
      `The scripted provider failed as its scenario asks (${fail.kind}). ${fail.message}`,
      {
        retryable:
          fail.kind === 'rate' ||
          fail.kind === 'overloaded' ||
          fail.kind === 'network' ||
          fail.kind === 'timeout',
        ...(fail.retryAfterMs === undefined ? {} : { retryAfterMs: fail.retryAfterMs }),
      },
    );
  };
}

function noticeOf(file: string | undefined): string {
  return file === undefined
    ? `No model is configured: answers come from scripted demonstrations, only the tool calls are real. ${SET_A_KEY}`
    : // Readers of the API need not know the folders of the machine.
      `Answers come from the scenarios in ${basename(file)}, only the tool calls are real.`;
}

function stuckError({ scenario, nearest, reasons }: Extract<Choice, { type: 'stuck' }>): LlmError {
  return new LlmError(
    'invalid',
    `The scripted scenario "${scenario.name}" cannot continue. Its nearest turn is number ${nearest}, but ${reasons.join('; ')}. ${SET_A_KEY}`,
  );
}

function usageOf(
  choice: Choice,
  { request, message }: { readonly request: LlmRequest; readonly message: MessageBuilder },
): Usage {
  const told = choice.type === 'turn' ? choice.turn.usage : undefined;
  if (told !== undefined) return { ...told, source: 'reported' };
  const input = JSON.stringify([request.system, request.messages]).length + lengthOf(request.tools);
  return estimatedUsage(tokensIn(input), tokensIn(message.length));
}

/** Lengths of the JSON texts of tools, which are the same objects in every turn of a run. */
const toolLengths = new WeakMap<readonly ToolSpec[], number>();

function lengthOf(tools: readonly ToolSpec[]): number {
  let length = toolLengths.get(tools);
  if (length === undefined) toolLengths.set(tools, (length = JSON.stringify(tools).length));
  return length;
}

function finishEvent({
  stop,
  message,
  model,
  usage,
}: {
  readonly stop: StopReason;
  readonly message: MessageBuilder;
  readonly model: string;
  readonly usage: Usage;
}): LlmEvent {
  return { type: 'finish', stop, usage, model, message: message.build(stop) };
}
