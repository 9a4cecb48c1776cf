import {
  chooseOpener,
  createSandboxBase,
  type FileLocks,
  findAllowedDirectories,
  type Opener,
  Sandbox,
} from '@signalbox/file-sandbox';
import type { CallToolResult, JsonObject } from '@signalbox/mcp-core';
import { toCallToolResult, type InteractiveContext } from '@signalbox/mcp-core/server';
import { createTestContext } from '@signalbox/mcp-core/testing';
import { createLogger, logCalls } from '@signalbox/server-kit';
import { defaultLimits, type Limits } from '../files/limits.ts';
import { RunningCalls } from '../tools/running-calls.ts';
import { createToolRunner, type ToolRunnerOptions } from '../tools/tool-runner.ts';
import { createDenyList } from '../files/deny-list.ts';
import { createTools } from '../tools/create-tools.ts';

export interface ToolCaller {
  /** Runs one handler; rejects with the error of the handler. */
  call(tool: string, args: JsonObject, context?: InteractiveContext): Promise<CalledTool>;
  readonly sandbox: Sandbox;
  /** Log lines of all calls so far, with line ends. */
  readonly lines: readonly string[];
}

export interface CalledTool {
  /** The first block of text. */
  readonly text: string;
  /** The other blocks of text, one a line. */
  readonly notes: string;
  readonly structured: JsonObject;
}

export interface ToolCallerOptions {
  readonly limits?: Partial<Limits>;
  /** Default: the opener that the server would choose. */
  readonly opener?: Opener;
  /** Denied globs; default none. */
  readonly deny?: readonly string[];
  /** Default: the locks that all servers on this machine share. */
  readonly locks?: FileLocks;
  /** Default: allows every step. */
  readonly confirm?: ToolRunnerOptions['confirm'];
}

/**
 * Creates the tools with a sandbox of these directories for tests, without a connection and without
 * argument validation.
 */
export async function createToolCaller(
  directories: readonly string[],
  options: ToolCallerOptions = {},
): Promise<ToolCaller> {
  const { opener = await chooseOpener('/'), deny = [] } = options;
  const found = await findAllowedDirectories(directories, opener);
  const sandbox = new Sandbox(
    found.directories,
    'cli',
    createSandboxBase(opener, {
      isDenied: createDenyList(deny),
      directories: found.directories,
      ...(options.locks === undefined ? {} : { locks: options.locks }),
    }),
  );
  const lines: string[] = [];
  const limits = { ...defaultLimits, ...options.limits };
  const logged = logCalls(createLogger('debug', { write: (line) => lines.push(line) }));
  const runner = createToolRunner({
    limits,
    sandboxOf: () => Promise.resolve(sandbox),
    confirm: options.confirm ?? (() => Promise.resolve()),
    calls: new RunningCalls(),
  });
  const tools = createTools(runner);
  return {
    sandbox,
    lines,
    async call(name, args, context = createTestContext()) {
      const tool = tools.find((candidate) => candidate.name === name);
      if (tool === undefined) throw new Error(`no tool ${name}`);
      const handled = Promise.withResolvers<CallToolResult>();
      await logged({ method: 'tools/call', params: { name }, context }, async () => {
        handled.resolve(toCallToolResult(await tool.handler(args as never, context)));
        return {};
      });
      const result = await handled.promise;
      // Handlers of this package return objects.
      const [text = '', ...notes] = textsOf(result);
      return {
        structured: result.structuredContent as JsonObject,
        text,
        notes: notes.join('\n'),
      };
    },
  };
}

function textsOf({ content }: CallToolResult): readonly string[] {
  return content.map((block) => (block.type === 'text' ? block.text : ''));
}
