import type { InteractiveContext, ToolDefinition } from '@signalbox/mcp-core/server';
import type { Logger } from './logger.ts';

export interface LoggedCall {
  readonly tool: string;
  /** Of the request; aborted means the call was cancelled. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/**
 * Runs the body of one tool call and says at level debug how it ended: `tool=<name> outcome=finished|failed|cancelled <facts> ms=<n>`. What the body
 * notes, the last value of each name, are the facts.
 */
export async function logCall<Output>(call: LoggedCall, body: (note: (name: string, value: number) => void) => Promise<Output> | Output): Promise<Output> {
  const startedAt = performance.now();
  const facts = new Map<string, number>();
  const end = (outcome: 'finished' | 'failed' | 'cancelled'): void => {
    const noted = Array.from(facts, ([name, value]) => `${name}=${value}`);
    call.log.debug([`tool=${call.tool}`, `outcome=${outcome}`, ...noted, `ms=${Math.round(performance.now() - startedAt)}`].join(' '));
  };
  try {
    const output = await body((name, value) => facts.set(name, value));
    end('finished');
    return output;
  } catch (error) {
    end(call.signal.aborted ? 'cancelled' : 'failed');
    throw error;
  }
}

/** The same tools, each call of which is logged as `logCall` does. */
export function logToolCalls(tools: readonly ToolDefinition[], log: Logger): readonly ToolDefinition[] {
  return tools.map(({ handler, ...tool }) => ({
    ...tool,
    handler: (args: never, context: InteractiveContext) => logCall({ tool: tool.name, signal: context.signal, log }, () => handler(args, context)),
  }));
}

/** For `ServerOptions.onError`: what the peer is not told goes to the log, with its stack. */
export function logErrors(log: Logger): (error: unknown) => void {
  return (error) => {
    log.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
  };
}
