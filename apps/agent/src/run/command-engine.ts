import type { RunCommands } from '../ports/run-engine.ts';
import type { CrashPoints } from '../ports/test-hooks.ts';
import { commandParts, type CommandDependencies, type CommandParts } from './command-parts.ts';
import { Commits } from './core/commits.ts';
import { orderedIds } from './core/ordered-ids.ts';
import { reconcile } from './lifecycle/reconcile.ts';
import { createRunCommands } from './run-commands.ts';

/** The commands of a process that takes no turns. */
export interface CommandEngine extends RunCommands {
  /** Stops accepting commands and resolves when the commands in progress have ended. */
  close(): Promise<void>;
}

/** Creates the commands over their ports. Workers on the same store continue the runs. */
export function createCommandEngine(
  dependencies: CommandDependencies & { readonly crashPoints?: CrashPoints },
): CommandEngine {
  const { store, bus, clock, onEvents = () => undefined } = dependencies;
  const closing = new AbortController();
  const commits = new Commits(store, bus, {
    clock,
    crashPoint: (point) => dependencies.crashPoints?.(point),
    reconcile: (change, isBusy) => reconcile(parts, change, isBusy),
    onEvents,
    newId: dependencies.newId ?? orderedIds(),
  });
  const parts: CommandParts = commandParts(dependencies, {
    // The sweeps of the workers read the stored deadlines.
    sweep: { wakeAt: () => undefined },
    commit: (...change) => commits.commit(...change),
    closing: closing.signal,
  });
  return {
    ...createRunCommands(parts),
    async close() {
      closing.abort();
      await commits.close();
    },
  };
}
