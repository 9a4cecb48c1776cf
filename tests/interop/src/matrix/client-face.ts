import type { World } from './world.ts';

/** A JSON object of the protocol, as the client under test returned it. */
export type Shape = { readonly [key: string]: unknown };
export type ChangedList = 'tools' | 'prompts' | 'resources';

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: number) => void;
}

export interface TaskCall {
  readonly result: Shape;
  /** Observed statuses, in order. */
  readonly statuses: readonly string[];
}

/**
 * A common interface of the clients under test. Lists are complete. Errors have the JSON-RPC
 * `code`. Input requests always get the same responses: `ANSWERS`.
 */
export interface ClientFace {
  readonly server: {
    readonly info: Shape | undefined;
    readonly capabilities: Shape | undefined;
    readonly instructions: string | undefined;
    readonly version: string | undefined;
  };
  /** Log messages received so far. */
  readonly logs: readonly Shape[];
  listTools(): Promise<readonly Shape[]>;
  callTool(name: string, args?: Shape, options?: CallOptions): Promise<Shape>;
  listResources(): Promise<readonly Shape[]>;
  listTemplates(): Promise<readonly Shape[]>;
  /** Returns the contents. */
  readResource(uri: string): Promise<readonly Shape[]>;
  listPrompts(): Promise<readonly Shape[]>;
  getPrompt(name: string, args?: { readonly [name: string]: string }): Promise<Shape>;
  /** Returns the completion. */
  complete(
    ref: { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string },
    argument: { name: string; value: string },
    chosen?: { [name: string]: string },
  ): Promise<Shape>;
  setLogLevel(level: 'debug' | 'warning'): Promise<void>;
  /** Resolves after subscribing with a function that unsubscribes. */
  watch(uri: string, onUpdated: (uri: string) => void): Promise<() => Promise<void>>;
  hearChanges(onChanged: (list: ChangedList) => void): Promise<() => Promise<void>>;
  ping(): Promise<void>;
  /** Calls a tool that becomes a task. */
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

/** Returns the counters of the tool `state`. */
export async function stateOf(client: ClientFace): Promise<World['state']> {
  const { content } = await client.callTool('state');
  const [block] = content as readonly { readonly text: string }[];
  return JSON.parse(String(block?.text)) as World['state'];
}
