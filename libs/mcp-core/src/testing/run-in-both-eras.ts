import type { InputHandlers } from '../client/input/input-handlers.ts';
import type { JsonObject } from '../jsonrpc/messages.ts';
import type { Era } from '../era/versions.ts';
import type { CallToolResult } from '../protocol/tools.ts';
import type { ToolDefinition } from '../server/tools/tool.ts';
import { connectInMemory } from './connect-in-memory.ts';

/** A tool with its own environment. */
export interface ToolUnderTest {
  readonly tool: ToolDefinition;
  /**
   * Returns the side effects of the calls as plain values: rows written, mails sent, files deleted.
   */
  readonly effects: () => unknown;
}

/** Arguments of the call, and the responses to the input requests of the tool. */
export interface RunInBothErasOptions {
  readonly arguments?: JsonObject | undefined;
  /** Handlers of the tool's input requests, which respond alike in both eras. */
  readonly handlers?: InputHandlers | undefined;
}

/** Result and effects that both eras share. */
export interface RunInBothEras {
  readonly result: CallToolResult;
  readonly effects: unknown;
}

/**
 * Calls a tool through a legacy session, where its handler runs once, and through modern requests,
 * where it runs again after each input request. `prepare` is called once per era and must create
 * equal environments.
 * @throws Error when the results or the effects differ: an effect before an input request is then
 * not inside `context.once`.
 */
export async function runInBothEras(
  prepare: () => ToolUnderTest | Promise<ToolUnderTest>,
  options: RunInBothErasOptions = {},
): Promise<RunInBothEras> {
  const legacy = await runIn('legacy', await prepare(), options);
  const modern = await runIn('modern', await prepare(), options);
  requireEqual('effects', legacy.effects, modern.effects);
  requireEqual('result', legacy.result, modern.result);
  return modern;
}

async function runIn(
  era: Era,
  { tool, effects }: ToolUnderTest,
  { arguments: args = {}, handlers = {} }: RunInBothErasOptions,
): Promise<RunInBothEras> {
  const { createServer } = await import('../server/index.ts');
  const server = createServer({ info: { name: 'both-eras', version: '1' }, tools: [tool] });
  const client = await connectInMemory(server, {
    info: { name: 'both-eras', version: '1' },
    era,
    handlers,
  });
  try {
    const { _meta: _transport, ...result } = await client.callTool(tool.name, args);
    return { result, effects: structuredClone(effects()) };
  } finally {
    await client.close();
  }
}

function requireEqual(what: string, legacy: unknown, modern: unknown): void {
  const { inspect, isDeepStrictEqual } = process.getBuiltinModule('node:util');
  if (isDeepStrictEqual(legacy, modern)) return;
  throw new Error(
    `The ${what} of the tool differ between the eras. A modern handler runs again after each input request: effects, times and random values before it belong inside context.once().
legacy: ${inspect(legacy, { depth: 8 })}
modern: ${inspect(modern, { depth: 8 })}`,
  );
}
