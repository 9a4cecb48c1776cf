import type { World } from './world.ts';

/** A JSON object of the protocol, as the client under test gave it out. */
export type Shape = { readonly [key: string]: unknown };
export type ChangedList = 'tools' | 'prompts' | 'resources';

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: number) => void;
}

export interface TaskCall {
  readonly result: Shape;
  /** Each status seen, in order. */
  readonly statuses: readonly string[];
}

/**
 * What every client can do, however its library spells it. Lists are whole. Errors have the JSON-RPC `code`. Answers to questions are always the same:
 * `ANSWERS`.
 */
export interface ClientFace {
  readonly server: {
    readonly info: Shape | undefined;
    readonly capabilities: Shape | undefined;
    readonly instructions: string | undefined;
    readonly version: string | undefined;
  };
  /** The messages heard so far. */
  readonly logs: readonly Shape[];
  listTools(): Promise<readonly Shape[]>;
  callTool(name: string, args?: Shape, options?: CallOptions): Promise<Shape>;
  listResources(): Promise<readonly Shape[]>;
  listTemplates(): Promise<readonly Shape[]>;
  /** The contents. */
  readResource(uri: string): Promise<readonly Shape[]>;
  listPrompts(): Promise<readonly Shape[]>;
  getPrompt(name: string, args?: { readonly [name: string]: string }): Promise<Shape>;
  /** The completion. */
  complete(
    ref: { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string },
    argument: { name: string; value: string },
    chosen?: { [name: string]: string },
  ): Promise<Shape>;
  setLogLevel(level: 'debug' | 'warning'): Promise<void>;
  /** Resolves when subscribed, with what ends the subscription. */
  watch(uri: string, onUpdated: (uri: string) => void): Promise<() => Promise<void>>;
  hearChanges(onChanged: (list: ChangedList) => void): Promise<() => Promise<void>>;
  ping(): Promise<void>;
  /** A call of a tool that goes on as a task. */
  callAsTask?(name: string, onTask: (taskId: string) => void): Promise<TaskCall>;
  cancelTask?(taskId: string): Promise<void>;
  /** Idempotent. Ends the session if there is one. */
  close(): Promise<void>;
}

export const ANSWERS = {
  elicit: { action: 'accept', content: { name: 'Ada' } },
  visit: { action: 'accept' },
  sample: {
    role: 'assistant',
    content: { type: 'text', text: 'forty-two' },
    model: 'mock',
    stopReason: 'endTurn',
  },
  roots: [{ uri: 'file:///home/ada', name: 'home' }],
} as const;

export const CLIENT_INFO = { name: 'matrix', version: '1.0.0' };

/** What `state` of the server's world tells. */
export async function stateOf(client: ClientFace): Promise<World['state']> {
  const { content } = await client.callTool('state');
  const [block] = content as readonly { readonly text: string }[];
  return JSON.parse(String(block?.text)) as World['state'];
}
