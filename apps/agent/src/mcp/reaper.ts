import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { extname, join } from 'node:path';
import { endMarked } from './marked-processes.ts';

/** Sees to it that no server process outlives this process, even when that is killed. */
export interface Reaper {
  /** Ends what an earlier service with the same owner left running because its helper was killed with it; resolves with how many processes these were. */
  endLeftovers(): Promise<number>;
  /** A mark for the environment of a server that is about to be started: whatever carries it is ended when this process ends, in whichever group or session it is. */
  mark(): string;
  /** The group of this leader is ended when this process ends. */
  add(leaderPid: number): void;
  /** The group has ended. */
  remove(leaderPid: number): void;
  /** Resolves when the helper process has ended; groups that were not removed are ended by it. */
  close(): Promise<void>;
}

// Beside this file as it was built, or as it was written.
const MAIN = join(import.meta.dirname, `reaper-main${extname(import.meta.filename)}`);

/** A helper that ends is started again so often; one that cannot run need not be tried for ever. */
const MAX_HELPERS = 10;

/**
 * Starts its helper process with the first mark or group, and again when that ends while there are groups. The helper gives a group `graceMs` after SIGTERM, and half of that before. On Windows, which has
 * no process groups, it does nothing. `owner` is the same in every start of one service, and no two services with one owner run at a time.
 */
export function createReaper({
  graceMs,
  owner,
}: {
  readonly graceMs: number;
  readonly owner?: string | undefined;
}): Reaper {
  const groups = new Set<number>();
  const poolId = owner === undefined ? randomUUID() : `${owner}.${randomUUID()}`;
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
    endLeftovers: async () =>
      owner === undefined
        ? 0
        : endMarked(
            (mark) => mark.startsWith(`${owner}.`) && !mark.startsWith(`${poolId}.`),
            graceMs,
          ),
    mark: () => {
      marks += 1;
      // Before the server, so that there is no moment at which it has none.
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
  // Detached, so that a Ctrl-C meant for this process does not end the helper before its work.
  const helper = spawn(process.execPath, [MAIN, String(graceMs), poolId], {
    detached: true,
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
    windowsHide: true,
  });
  // Its exit is heard of; until then what it can no longer read is lost without harm.
  helper.stdin.on('error', () => undefined);
  helper.unref();
  return helper;
}
