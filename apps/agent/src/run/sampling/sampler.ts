import {
  ErrorCode,
  ProtocolError,
  type CreateMessageParams,
  type CreateMessageResult,
  type JsonObject,
} from '@signalbox/mcp-core';
import {
  LlmError,
  type LlmEvent,
  type LlmFinish,
  type LlmRequest,
} from '../../ports/llm-provider.ts';
import { digestOf } from '../../json/digest.ts';
import type { RequestingCall } from '../input/request-input.ts';
import { overBudget } from '../limits/budget.ts';
import { charge } from '../limits/charge.ts';
import { chooseModel } from './choose-model.ts';
import type { ServerPolicy } from '../core/server-policy.ts';
import type { Uses } from '../core/engine-parts.ts';
import { cardOf, providerOf } from '../core/run-model.ts';
import { checkSamplingRequest, samplingNeeds, toMessage, toSamplingContent } from './blocks.ts';
import { SamplingTools } from './tool-names.ts';
import { normalizeMessage } from '../text/normalize-message.ts';
import { DECISIONS } from '../core/audit.ts';

/** Longest message that a server may request, in tokens. */
const MAX_TOKENS = 8192;

/** Key in `_meta` of a response with the parts of the request that the model did not support. */
const WARNINGS_KEY = 'dev.signalbox/warnings';

/**
 * Serves the sampling requests of a server during one call, with the model of the run or a model
 * that the request prefers. The cost is charged to the run.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/sampling
 */
export class Sampler {
  readonly #context: Uses<'llm' | 'newId' | 'commit'>;
  readonly #caller: RequestingCall;
  #isSpent = false;

  constructor(context: Uses<'llm' | 'newId' | 'commit'>, caller: RequestingCall) {
    this.#context = context;
    this.#caller = caller;
  }

  /**
   * Checks that the request can be served.
   * @throws ProtocolError when it cannot, whatever the policy
   */
  check(params: CreateMessageParams): void {
    checkSamplingRequest(params);
    this.#modelFor(params);
  }

  /**
   * Counts the request and stores the decision of the configuration in the audit.
   * @throws ProtocolError when the server has used up its sampling requests in this run
   */
  async count(policy: ServerPolicy['sampling']): Promise<void> {
    const { id: callId, runId, server, tool, arguments: args } = this.#caller.call;
    const { turns } = this.#caller.run.limits;
    // No more reads once the requests are used up.
    const requests = this.#isSpent
      ? Infinity
      : await this.#context.commit(runId, async ({ sql }) => {
          const run = await sql.runCore(runId);
          const spent = run === undefined ? undefined : overBudget(run);
          if (spent !== undefined) throw new ProtocolError(ErrorCode.rejectedByUser, spent.message);
          const count = await sql.countSampling(runId, server);
          const entry = {
            ...DECISIONS[policy],
            runId,
            callId,
            itemId: undefined,
            kind: 'sampling_approval',
            server,
            tool,
            argumentsSha256: digestOf(args),
            outcome: undefined,
          } as const;
          if (count <= turns) await sql.appendAudit([entry]);
          return count;
        });
    this.#isSpent = requests > turns;
    if (this.#isSpent)
      throw new ProtocolError(
        ErrorCode.rejectedByUser,
        `This server used all of its ${turns} sampling requests in this run.`,
      );
  }

  /** Returns the request of the inbox item that asks a person for approval. */
  requestOf(params: CreateMessageParams): JsonObject {
    const { messages, systemPrompt, maxTokens, modelPreferences, tools } = params;
    return {
      messages,
      system_prompt: systemPrompt,
      max_tokens: maxTokens,
      model_preferences: modelPreferences,
      model: this.#modelFor(params),
      ...(tools === undefined ? {} : { tools }),
    };
  }

  /**
   * Calls the model.
   * @throws ProtocolError when the model call failed, or its message cannot be given to a server
   */
  async sample(params: CreateMessageParams, signal: AbortSignal): Promise<CreateMessageResult> {
    const tools = new SamplingTools(params.tools ?? []);
    const warnings: string[] = [];
    const model = this.#modelFor(params);
    const { maxOutputTokens = Infinity } =
      cardOf(this.#context.llm, { ...this.#caller.run, model }) ?? {};
    const finish = await this.#ask(
      requestFor(params, { model, maxOutputTokens, cacheKey: this.#caller.call.id, tools }),
      { signal, warnings },
    );
    await this.#charge(finish);
    const { content } = normalizeMessage(finish.message, this.#context.newId);
    const broken =
      finish.stop === 'max_tokens'
        ? undefined
        : content.find((block) => block.type === 'tool_use' && block.invalid !== undefined);
    if (broken?.type === 'tool_use')
      throw new ProtocolError(
        ErrorCode.internalError,
        `The model called the tool ${tools.fromWire(broken.name)}, but ${broken.invalid}.`,
      );
    return {
      role: 'assistant',
      content: toSamplingContent(content, tools),
      model: finish.model,
      stopReason: stopReasonOf(finish),
      ...(warnings.length === 0 ? {} : { _meta: { [WARNINGS_KEY]: warnings } }),
    };
  }

  /** Chooses the model. @throws ProtocolError when no model supports the request */
  #modelFor(params: CreateMessageParams): string {
    const { run } = this.#caller;
    const others = this.#context.llm.get(run.provider)?.models ?? [];
    const own = cardOf(this.#context.llm, run);
    if (own === undefined) return run.model;
    const choice = chooseModel(
      [own, ...others.filter(({ id }) => id !== own.id)],
      samplingNeeds(params),
      params.modelPreferences,
    );
    if (choice === undefined)
      throw new ProtocolError(
        ErrorCode.internalError,
        'No model of this host can take the request: its tools, images or audio, or its length.',
      );
    return choice.card.id;
  }

  async #ask(
    request: LlmRequest,
    { signal, warnings }: { readonly signal: AbortSignal; readonly warnings: string[] },
  ): Promise<LlmFinish> {
    const receive = (event: LlmEvent): void =>
      void (event.type === 'warning' && warnings.push(event.message));
    try {
      const provider = providerOf(this.#context.llm, this.#caller.run.provider);
      for await (const event of provider.stream(request, { signal })) {
        if (event.type === 'finish') return event;
        receive(event);
      }
    } catch (error) {
      if (error instanceof LlmError && error.usage !== undefined)
        await this.#charge({ usage: error.usage, model: request.model ?? this.#caller.run.model });
      const message = error instanceof LlmError ? error.message : 'the host failed';
      throw new ProtocolError(ErrorCode.internalError, `The model call failed: ${message}`, {
        cause: error,
      });
    }
    throw new ProtocolError(
      ErrorCode.internalError,
      'The model call failed: its stream ended too early.',
    );
  }

  async #charge({ usage, model }: Pick<LlmFinish, 'usage' | 'model'>): Promise<void> {
    const { call } = this.#caller;
    await this.#context.commit(call.runId, (change) => charge(change, { usage, model, call }));
  }
}

interface SamplingTarget {
  readonly model: string;
  readonly maxOutputTokens: number;
  readonly cacheKey: string;
  readonly tools: SamplingTools;
}

function requestFor(
  params: CreateMessageParams,
  { model, maxOutputTokens, cacheKey, tools }: SamplingTarget,
): LlmRequest {
  return {
    model,
    messages: params.messages.map((message) => toMessage(message, tools)),
    tools: tools.specs,
    maxTokens: Math.min(params.maxTokens, MAX_TOKENS, maxOutputTokens),
    cacheKey,
    purpose: 'sampling',
    ...(params.toolChoice?.mode === undefined ? {} : { toolChoice: params.toolChoice.mode }),
    ...(params.systemPrompt === undefined ? {} : { system: params.systemPrompt }),
    ...(params.temperature === undefined ? {} : { temperature: params.temperature }),
    ...(params.stopSequences === undefined ? {} : { stopSequences: params.stopSequences }),
  };
}

function stopReasonOf({ stop, rawStop }: LlmFinish): string {
  switch (stop) {
    case 'end':
      return 'endTurn';
    case 'tool_use':
      return 'toolUse';
    case 'max_tokens':
    case 'context_full':
      return 'maxTokens';
    case 'stop_sequence':
      return 'stopSequence';
    case 'refusal':
      return 'refusal';
    case 'pause':
    case 'other':
      return rawStop ?? stop;
  }
}
