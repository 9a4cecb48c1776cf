import type { JsonObject } from '../jsonrpc/messages.ts';
import type { AuthContext } from '../jsonrpc/transport.ts';
import { missingCapabilityError } from '../era/client-can.ts';
import type { ClientCapability, Era, Implementation, LoggingLevel, Progress } from '../protocol/capabilities.ts';
import type { CreateMessageParams, CreateMessageResult, ElicitParams, ElicitResult, Root } from '../protocol/client-features.ts';
import type { InteractiveContext, Question } from '../server/context.ts';

export interface TestContextOptions {
  readonly signal?: AbortSignal;
  readonly era?: Era;
  readonly clientInfo?: Implementation;
  readonly meta?: JsonObject;
  readonly auth?: AuthContext;
  /** Answers every elicitation; without it the client has no elicitation. */
  readonly elicit?: (key: string, params: ElicitParams) => ElicitResult | Promise<ElicitResult>;
  /** Answers every sampling request; without it the client has no sampling. */
  readonly sample?: (key: string, params: CreateMessageParams) => CreateMessageResult | Promise<CreateMessageResult>;
  /** Without it the client has no roots. */
  readonly roots?: readonly Root[];
}

/** A handler's context that records what the handler reports and asks. */
export interface TestContext extends InteractiveContext {
  readonly progressed: readonly Progress[];
  readonly logged: readonly { readonly level: LoggingLevel; readonly data: unknown; readonly logger: string | undefined }[];
  /** Every elicitation and sampling request, in order. */
  readonly asked: readonly { readonly key: string; readonly params: ElicitParams | CreateMessageParams }[];
}

/** The context of a call from a client that can do what the options answer. */
export function createTestContext(options: TestContextOptions = {}): TestContext {
  const progressed: Progress[] = [];
  const logged: { level: LoggingLevel; data: unknown; logger: string | undefined }[] = [];
  const asked: { key: string; params: ElicitParams | CreateMessageParams }[] = [];
  const memo = new Map<string, Promise<unknown>>();
  const answerOne = (key: string, question: Question): Promise<unknown> => {
    if (question.elicit !== undefined) return context.elicit(key, question.elicit);
    return question.sample === undefined ? context.listRoots() : context.sample(key, question.sample);
  };
  const context: TestContext = {
    progressed,
    logged,
    asked,
    signal: options.signal ?? new AbortController().signal,
    client: { info: options.clientInfo, era: options.era ?? 'legacy', can: (capability) => canAnswer(options, capability) },
    meta: options.meta ?? {},
    auth: options.auth,
    progress: (update) => {
      const last = progressed.at(-1)?.progress ?? -Infinity;
      if (update.progress > last) progressed.push(update);
      return Promise.resolve();
    },
    log: (level, data, logger) => {
      logged.push({ level, data, logger });
    },
    elicit: async (key, params) => {
      if (options.elicit === undefined) throw missingCapabilityError(params.mode === 'url' ? 'elicitation.url' : 'elicitation.form');
      asked.push({ key, params });
      return options.elicit(key, params);
    },
    sample: async (key, params) => {
      if (options.sample === undefined) throw missingCapabilityError('sampling');
      asked.push({ key, params });
      return options.sample(key, params);
    },
    listRoots: async () => {
      if (options.roots === undefined) throw missingCapabilityError('roots');
      return Promise.resolve(options.roots);
    },
    gather: async (questions) => {
      const answers = Object.entries(questions).map(async ([key, question]) => [key, await answerOne(key, question)] as const);
      return Object.fromEntries(await Promise.all(answers));
    },
    once: <T>(key: string, run: () => T | Promise<T>) => {
      const result = memo.get(key) ?? Promise.resolve().then(run);
      memo.set(key, result);
      return result as Promise<T>;
    },
    startTask: () => Promise.resolve(),
    closeStream: () => undefined,
  };
  return context;
}

function canAnswer(options: TestContextOptions, capability: ClientCapability): boolean {
  if (capability === 'roots') return options.roots !== undefined;
  return (capability.startsWith('sampling') ? options.sample : options.elicit) !== undefined;
}
