import { PathError, type Sandbox, toPathError } from '@signalbox/file-sandbox';
import { ProtocolError, ToolError } from '@signalbox/mcp-core';
import type { InteractiveContext, ToolOutput } from '@signalbox/mcp-core/server';
import { noteFact, type DestructiveStep } from '@signalbox/server-kit';
import type { Limits } from '../files/limits.ts';
import { pathErrorText } from './path-error-text.ts';
import type { RunningCalls } from './running-calls.ts';

/** The dependencies of every tool. */
export interface ToolRunner {
  readonly limits: Limits;
  /**
   * Runs the body of one call in the sandbox of its connection; a path or file system failure
   * becomes a `ToolError`.
   */
  run<Output extends ToolOutput>(
    call: ToolCallName,
    context: InteractiveContext,
    body: (call: RunningCall) => Promise<Output>,
  ): Promise<Output>;
  /**
   * Resolves when a destructive step is confirmed. In the modern era the handler then runs again
   * from its start, so change nothing before.
   * @throws ToolError when it was declined or needs the confirm token of the error
   */
  confirm(context: InteractiveContext, step: ConfirmedStep): Promise<void>;
  /** Waits for an answer of the host without blocking other calls. */
  pausing<T>(waitForAnswer: () => Promise<T>): Promise<T>;
  /** Whether routine steps are confirmed too (`--confirm always`). */
  readonly confirmsRoutine: boolean;
}

/** A destructive step; `confirmToken` as the caller sent it. */
export interface ConfirmedStep extends Omit<DestructiveStep, 'confirmToken'> {
  readonly confirmToken: string | undefined;
}

/** The argument by which a client without elicitation confirms a step. */
export const tokenSchema = { type: 'string' } as const;

export interface ToolCallName {
  readonly tool: string;
  /** The path as the caller spelled it, for error messages. */
  readonly path: string;
}

export interface RunningCall {
  readonly sandbox: Sandbox;
  readonly signal: AbortSignal;
  /**
   * Reports the entries or bytes processed so far, as progress to the client and, at the end, to
   * the log.
   */
  readonly scanned: (count: number, message?: string) => void;
}

export interface ToolRunnerOptions {
  readonly limits: Limits;
  readonly sandboxOf: (context: InteractiveContext) => Promise<Sandbox>;
  readonly confirm: (context: InteractiveContext, step: DestructiveStep) => Promise<void>;
  /** Whether routine steps are confirmed too; default false. */
  readonly confirmsRoutine?: boolean;
  /** Running calls of the whole server. */
  readonly calls: RunningCalls;
}

export function createToolRunner(options: ToolRunnerOptions): ToolRunner {
  const { limits, sandboxOf, confirm, calls } = options;
  return {
    limits,
    confirm: (context, { confirmToken, ...step }) =>
      calls.pausing(() =>
        confirm(context, confirmToken === undefined ? step : { ...step, confirmToken }),
      ),
    pausing: (waitForAnswer) => calls.pausing(waitForAnswer),
    confirmsRoutine: options.confirmsRoutine ?? false,
    run: async (call, context, body) => {
      const scanned = (count: number, message?: string) => {
        noteFact(context.signal, 'scanned', count);
        context.progress({ progress: count, ...(message === undefined ? {} : { message }) });
      };
      try {
        const sandbox = await sandboxOf(context);
        return await calls.run([context.signal, sandbox.revoked], async (signal) => {
          signal.throwIfAborted();
          return body({ sandbox, signal, scanned });
        });
      } catch (error) {
        throw toolError(error, call.path);
      }
    },
  };
}

function toolError(error: unknown, path: string): unknown {
  if (error instanceof ToolError || error instanceof ProtocolError) return error;
  const failure = toPathError(error, path);
  return failure instanceof PathError
    ? new ToolError(pathErrorText(failure), { cause: error })
    : error;
}
