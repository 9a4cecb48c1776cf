import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { extname, join } from 'node:path';

/** Sees to it that no server process outlives this process, even when that is killed. */
export interface Reaper {
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

/**
 * Starts its helper process with the first mark or group. The helper gives a group `graceMs` after SIGTERM, and half of that before. On Windows, which has
 * no process groups, it does nothing.
 */
export function createReaper({ graceMs }: { readonly graceMs: number }): Reaper {
  const groups = new Set<number>();
  const poolId = randomUUID();
  let marks = 0;
  let helper: ChildProcess | undefined;
  const tell = (line: string): void => {
    if (helper === undefined) {
      const started = startHelper(graceMs, poolId);
      const forget = (): void => {
        if (helper === started) helper = undefined;
      };
      helper = started.once('exit', forget).once('error', forget);
      for (const group of groups) helper.stdin?.write(`+${group}\n`);
    } else {
      helper.stdin?.write(`${line}\n`);
    }
  };
  return {
    mark: () => {
      marks += 1;
      // Before the server, so that there is no moment at which it has none.
      if (helper === undefined && process.platform !== 'win32') tell('');
      return `${poolId}.${marks}`;
    },
    add: (leaderPid) => {
      if (process.platform === 'win32') return;
      groups.add(leaderPid);
      tell(`+${leaderPid}`);
    },
    remove: (leaderPid) => {
      if (groups.delete(leaderPid) && helper !== undefined) tell(`-${leaderPid}`);
    },
    close: async () => {
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
  const helper = spawn(process.execPath, [MAIN, String(graceMs), poolId], { detached: true, env: {}, stdio: ['pipe', 'ignore', 'ignore'], windowsHide: true });
  // Its exit is heard of; until then what it can no longer read is lost without harm.
  helper.stdin.on('error', () => undefined);
  helper.unref();
  return helper;
}
