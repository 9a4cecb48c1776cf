import type { Codec } from '../../era/codec.ts';
import { mcpNameOf } from '../../http/headers/mcp-name.ts';
import { metaOf } from '../../era/meta-keys.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitParams,
  ElicitResult,
  Root,
} from '../../protocol/client-features.ts';
import { ErrorCode, LocalError, ProtocolError } from '../../protocol/errors.ts';
import { elicitationProblems, withElicitationDefaults } from '../../schema/elicitation-problems.ts';
import type {
  AskingRequest,
  ClientOptions,
  HandlerCapabilities,
  QuestionContext,
  QuestionHandlers,
} from '../client-options.ts';
import { toolResultProblem } from '../../protocol/tool-result-problem.ts';

export interface Question {
  readonly method: string;
  readonly params: JsonObject | undefined;
  /** The one it belongs to, where that is known. */
  readonly request: AskingRequest | undefined;
  readonly key?: string | undefined;
}

/** A request of ours as the handlers of questions see it. */
export function askingRequest(
  method: string,
  params: JsonObject,
  meta: JsonObject | undefined,
): AskingRequest {
  const name = mcpNameOf(method, params);
  return {
    method,
    ...(name === undefined ? {} : { name }),
    ...(meta === undefined ? {} : { meta }),
  };
}

/** Answers one question. Rejects with ProtocolError when it is refused or malformed, LocalError when the handler's answer is unusable. */
export type AnswerQuestion = (signal: AbortSignal) => Promise<JsonObject>;

/** Puts the questions of a server, however they came, to the handlers. */
export class QuestionDesk {
  readonly #handlers: QuestionHandlers;
  readonly #capabilities: HandlerCapabilities;

  constructor({
    handlers = {},
    capabilities = {},
  }: Pick<ClientOptions, 'handlers' | 'capabilities'>) {
    this.#handlers = handlers;
    this.#capabilities = capabilities;
  }

  /** Whether a person can be sent to a URL. */
  get takesUrls(): boolean {
    return this.#handlers.elicit !== undefined && this.#capabilities.elicitationUrl === true;
  }

  /** `undefined` when no handler is there for this method. */
  find({ method, params, request, key }: Question, codec: Codec): AnswerQuestion | undefined {
    const { sample, elicit, listRoots } = this.#handlers;
    const context = (signal: AbortSignal): QuestionContext => ({
      signal,
      meta: metaOf(params),
      ...(request === undefined ? {} : { request }),
      ...(key === undefined ? {} : { key }),
    });
    if (method === 'sampling/createMessage' && sample !== undefined) {
      return async (signal) =>
        codec.encodeAnswer(
          method,
          await this.#sample(sample, codec.decodeQuestion(method, params), context(signal)),
        );
    }
    if (method === 'elicitation/create' && elicit !== undefined) {
      return async (signal) =>
        codec.encodeAnswer(
          method,
          await this.#elicit(elicit, codec.decodeQuestion(method, params), context(signal)),
        );
    }
    if (method === 'roots/list' && listRoots !== undefined) {
      return async (signal) =>
        codec.encodeAnswer(method, { roots: checkRoots(await listRoots(context(signal))) });
    }
    return undefined;
  }

  /** @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#tool-result-messages */
  #sample(
    handler: NonNullable<QuestionHandlers['sample']>,
    params: CreateMessageParams,
    context: QuestionContext,
  ): Promise<CreateMessageResult> {
    if (
      (params.tools !== undefined || params.toolChoice !== undefined) &&
      this.#capabilities.samplingTools !== true
    ) {
      throw undeclared('sampling with tools');
    }
    const problem = toolResultProblem(params.messages);
    if (problem !== undefined)
      throw new ProtocolError(ErrorCode.invalidParams, `Invalid params: ${problem}`);
    return handler(params, context);
  }

  async #elicit(
    handler: NonNullable<QuestionHandlers['elicit']>,
    params: ElicitParams,
    context: QuestionContext,
  ): Promise<ElicitResult> {
    const {
      elicitationForm = true,
      elicitationUrl = false,
      applyDefaults = false,
    } = this.#capabilities;
    if (params.mode === 'url') {
      if (!elicitationUrl) throw undeclared('url elicitation');
      return handler(params, context);
    }
    if (!elicitationForm) throw undeclared('form elicitation');
    const answer = await handler(params, context);
    if (answer.action !== 'accept') return answer;
    const content = applyDefaults
      ? withElicitationDefaults(params.requestedSchema, answer.content)
      : answer.content;
    const problems = elicitationProblems(params.requestedSchema, content);
    if (problems.length > 0)
      throw new LocalError(
        'invalid-argument',
        `The answer to a form does not fit it: ${problems.join(' ')}`,
      );
    // It fits the schema, whose fields have no other types.
    return { ...answer, content: content as NonNullable<ElicitResult['content']> };
  }
}

function undeclared(what: string): ProtocolError {
  return new ProtocolError(
    ErrorCode.invalidParams,
    `Invalid params: this client did not declare ${what}`,
  );
}

function checkRoots(roots: readonly Root[]): readonly Root[] {
  const foreign = roots.find(({ uri }) => !uri.startsWith('file://'));
  if (foreign !== undefined)
    throw new LocalError(
      'invalid-argument',
      `A root must be a file:// URI, which ${foreign.uri} is not.`,
    );
  return roots;
}
