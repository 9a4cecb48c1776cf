import { renameSync } from 'node:fs';
import { stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Opener } from '@signalbox/file-sandbox';
import { createTemporaryFolders } from '@signalbox/file-sandbox/testing';
import { DirectoryWatches } from '../src/resources/directory-watches.ts';
import { Watchers, type WatchTarget } from '../src/resources/watchers.ts';
import { watchedInodes } from '../src/testing/watched-inodes.ts';

export interface WatchAttackPlan {
  readonly subscriptions: number;
  /** Whether to end the attack when it has broken every kind; for a control. */
  readonly stopsWhenBroken?: boolean;
}

/** Counts of the subscriptions to one kind of target: a file, a directory or a tree. */
export interface WatchCount {
  subscriptions: number;
  /** Subscriptions during which the system watched the swapped directory inside. */
  inside: number;
  /** Subscriptions during which the system watched a directory outside. */
  outside: number;
}

/**
 * Subscribes to a file, a directory and a tree, again and again, while their directory is swapped
 * with a link to the outside between any two steps, and reads what the process watches. Another
 * thread would swap faster than the system can report changes.
 */
export async function attackWatches(
  opener: Opener,
  { subscriptions, stopsWhenBroken = false }: WatchAttackPlan,
): Promise<ReadonlyMap<string, WatchCount>> {
  await using folders = await createTemporaryFolders({
    root: { 'd/sub/x.txt': 'inside' },
    outside: { 'sub/x.txt': 'outside' },
  });
  const inodesOf = async (folder: string) => [
    (await stat(folder)).ino,
    (await stat(path.join(folder, 'sub'))).ino,
  ];
  const own = await inodesOf(path.join(folders.root, 'd'));
  const foreign = await inodesOf(folders.outside);
  await symlink(folders.outside, path.join(folders.root, 'link'));
  const at = (name: string) => ({ realPath: path.join(folders.root, name), within: folders.root });
  const root: WatchTarget = { realPath: folders.root, within: folders.root, isTree: true };
  const kinds = [
    { kind: 'a file', target: at('d/sub/x.txt'), count: noCount() },
    { kind: 'a directory', target: at('d/sub'), count: noCount() },
    { kind: 'a tree', target: root, count: noCount() },
  ] as const;
  const stopSwapping = startSwapping(folders.root);
  for (let sent = 0; sent < subscriptions; sent++) {
    if (stopsWhenBroken && kinds.every(({ count }) => count.outside > 0)) break;
    const { target, count } = kinds[sent % kinds.length] as (typeof kinds)[number];
    const directories = new DirectoryWatches({ opener, warn: () => undefined, readyMs: 5 });
    const watchers = new Watchers({ opener, directories });
    await watchers.watch(target, () => undefined);
    const watched = await watchedInodes();
    count.subscriptions++;
    if (own.some((inode) => watched.includes(inode))) count.inside++;
    if (foreign.some((inode) => watched.includes(inode))) count.outside++;
    watchers.close();
  }
  await stopSwapping();
  return new Map(kinds.map(({ kind, count }) => [kind, count]));
}

function noCount(): WatchCount {
  return { subscriptions: 0, inside: 0, outside: 0 };
}

async function turns(most: number): Promise<void> {
  for (let left = 1 + Math.floor(Math.random() * most); left > 0; left--) await setImmediate();
}

/** Swaps `root/d` between the real directory and the link `root/link`, each for some turns of the event loop. */
function startSwapping(root: string): () => Promise<void> {
  const stop = new AbortController();
  const move = (from: string, to: string) => renameSync(path.join(root, from), path.join(root, to));
  const swapping = (async () => {
    while (!stop.signal.aborted) {
      move('d', 'real');
      move('link', 'd');
      await turns(4);
      move('d', 'link');
      move('real', 'd');
      await turns(32);
    }
  })();
  return () => {
    stop.abort();
    return swapping;
  };
}
