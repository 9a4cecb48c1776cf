import {
  Suspended,
  type InteractiveContext,
  type ToolDefinition,
} from '@signalbox/mcp-core/server';
import type { Logger } from './logger.ts';

export interface LoggedCall {
  readonly tool: string;
  /**
   * Signal of the request. It aborts when the call is cancelled, or when it asks its client and
   * runs again with the answer.
   */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/**
 * Runs the body of one tool call and logs its end at level debug: `tool=<name> outcome=<outcome>
 * <facts> ms=<n>`. The facts are the last values that the body noted. The outcome is `finished`,
 * `failed` (also for a result with `isError`), `cancelled`, or `asked` for each round of a
 * 2026-07-28 call that asks its client.
 */
export async function logCall<Output>(
  call: LoggedCall,
  body: (note: (name: string, value: number) => void) => Promise<Output> | Output,
): Promise<Output> {
  const startedAt = performance.now();
  const facts = new Map<string, number>();
  const end = (outcome: 'finished' | 'failed' | 'cancelled' | 'asked'): void => {
    const noted = Array.from(facts, ([name, value]) => `${name}=${value}`);
    call.log.debug(
      [
        `tool=${call.tool}`,
        `outcome=${outcome}`,
        ...noted,
        `ms=${Math.round(performance.now() - startedAt)}`,
      ].join(' '),
    );
  };
  try {
    const output = await body((name, value) => facts.set(name, value));
    end(isSuspended(call.signal) ? 'asked' : isErrorResult(output) ? 'failed' : 'finished');
    return output;
  } catch (error) {
    end(isSuspended(call.signal) ? 'asked' : call.signal.aborted ? 'cancelled' : 'failed');
    throw error;
  }
}

/** Whether the request was suspended by a question; the handler runs again even if it continues. */
function isSuspended({ reason }: AbortSignal): boolean {
  return reason instanceof Suspended;
}

function isErrorResult(output: unknown): boolean {
  return (
    typeof output === 'object' && output !== null && 'isError' in output && output.isError === true
  );
}

/** Returns the same tools with each call logged by `logCall`. */
export function logToolCalls(
  tools: readonly ToolDefinition[],
  log: Logger,
): readonly ToolDefinition[] {
  return tools.map(({ handler, ...tool }) => ({
    ...tool,
    handler: (args: never, context: InteractiveContext) =>
      logCall({ tool: tool.name, signal: context.signal, log }, () => handler(args, context)),
  }));
}

/**
 * Returns an `onError` for `ServerOptions` that logs errors, which the peer does not see, with
 * their stack.
 */
export function logErrors(log: Logger): (error: unknown) => void {
  return (error) => {
    log.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
  };
}
