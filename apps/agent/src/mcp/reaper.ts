import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';
import { endMarked } from './marked-processes.ts';
import { hasEnded, processIdentity } from './process-identity.ts';
import { REAPER_SHELL } from './reaper-shell.ts';

/** Ends server processes that would outlive this process, even after it is killed. */
export interface Reaper {
  /**
   * Ends server processes that another process of the same owner left when it was killed with its
   * helper. With `isShared`, processes of the owner may be running; their servers are not ended.
   * Resolves with the number of ended processes.
   */
  endOrphans(options?: { readonly isShared?: boolean }): Promise<number>;
  /**
   * Returns a mark for the environment of a new server. When this process ends, every process with
   * the mark is ended, whatever its group or session.
   */
  mark(): string;
  /** Registers a process group to be ended when this process ends. */
  add(leaderPid: number): void;
  /** Unregisters a process group that has ended. */
  remove(leaderPid: number): void;
  /** Resolves when the helper process has ended. It ends the groups that are still registered. */
  close(): Promise<void>;
}

// The extension is `.js` in a build and `.ts` in the sources.
const MAIN = join(import.meta.dirname, `reaper-main${extname(import.meta.filename)}`);

const SHELL = '/bin/sh';

/** Maximum number of starts of the helper. */
const MAX_HELPERS = 10;

/**
 * Creates a reaper. Its helper process starts with the first mark or group, and again if it ends
 * while groups are registered. Groups get half of `graceMs` to end, and `graceMs` after SIGTERM.
 * Does nothing on Windows, which has no process groups. `owner` is the same for every process of one
 * service, and other services have other owners.
 */
export function createReaper({
  graceMs,
  owner,
}: {
  readonly graceMs: number;
  readonly owner?: string | undefined;
}): Reaper {
  const groups = new Set<number>();
  const poolId =
    owner === undefined
      ? randomUUID()
      : `${owner}.${processIdentity() ?? 'unknown'}.${randomUUID()}`;
  let marks = 0;
  let helpers = 0;
  let helper: ChildProcess | undefined;
  let isClosing = false;
  const start = (): void => {
    if (helper !== undefined || process.platform === 'win32') return;
    helpers += 1;
    const started = startHelper(graceMs, poolId);
    const onEnd = (): void => {
      if (helper === started) helper = undefined;
      if (groups.size > 0 && !isClosing && helpers < MAX_HELPERS) start();
    };
    helper = started.once('exit', onEnd).once('error', onEnd);
    for (const group of groups) started.stdin?.write(`+${group}\n`);
  };
  return {
    endOrphans: async ({ isShared = false } = {}) =>
      owner === undefined
        ? 0
        : endMarked(
            (mark) =>
              mark.startsWith(`${owner}.`) &&
              !mark.startsWith(`${poolId}.`) &&
              (!isShared || hasEnded(mark.split('.')[1] ?? '')),
            graceMs,
          ),
    mark: () => {
      marks += 1;
      // Registered before the server starts, so that it is never unprotected.
      start();
      return `${poolId}.${marks}`;
    },
    add: (leaderPid) => {
      groups.add(leaderPid);
      if (helper === undefined) start();
      else helper.stdin?.write(`+${leaderPid}\n`);
    },
    remove: (leaderPid) => {
      if (groups.delete(leaderPid)) helper?.stdin?.write(`-${leaderPid}\n`);
    },
    close: async () => {
      isClosing = true;
      if (helper === undefined) return;
      const ended = once(helper, 'exit');
      helper.ref();
      helper.stdin?.end();
      await ended;
    },
  };
}

function startHelper(graceMs: number, poolId: string): ChildProcess {
  const { NODE_COMPILE_CACHE } = process.env;
  const work = [process.execPath, MAIN, String(graceMs), poolId];
  // The work needs Node, which takes 50 MB; a shell waits for it in 2 MB. Some containers have no shell.
  const [command = '', ...args] = existsSync(SHELL) ? [SHELL, '-c', REAPER_SHELL, ...work] : work;
  // Detached, so that Ctrl-C does not end the helper before its work.
  const helper = spawn(command, args, {
    detached: true,
    env: NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE },
    stdio: ['pipe', 'ignore', 'ignore'],
    windowsHide: true,
  });
  // The exit handler reports a failed helper; lines it can no longer read are sent to its successor.
  helper.stdin.on('error', () => undefined);
  helper.unref();
  return helper;
}
