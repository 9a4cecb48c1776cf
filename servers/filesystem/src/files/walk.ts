import path from 'node:path';
import { PathError, type PinnedPath, type Sandbox } from '@signalbox/file-sandbox';
import { entryBatches } from './entry-batches.ts';
import type { EntryType } from './entry-type.ts';
import type { Gitignore } from './gitignore.ts';
import { Turns } from './turns.ts';

export interface WalkedEntry {
  /** Path relative to the root of the walk, with `/`. */
  readonly path: string;
  readonly type: EntryType;
}

export interface SkippedDirectories {
  /** Number of directories that could not be opened. */
  readonly unreadable: number;
  /** Number of directories more than 256 levels down. */
  readonly tooDeep: number;
}

export interface WalkOptions {
  readonly sandbox: Sandbox;
  readonly signal: AbortSignal;
  /**
   * Called once for each entry, in no particular order; `false` skips the contents of a directory.
   */
  readonly visit: (entry: WalkedEntry) => boolean;
  /** Skips ignored entries; default: no rules. */
  readonly gitignore?: Gitignore;
}

/**
 * Visits every entry below a verified directory except denied ones. Never follows symbolic links;
 * verifies each directory on its own handle. Skips directories that cannot be opened or are more
 * than 256 levels down.
 * @throws the signal's reason, before any further file system call
 */
export async function walk(root: PinnedPath, options: WalkOptions): Promise<SkippedDirectories> {
  const state: WalkState = {
    ...options,
    root,
    waiting: [],
    unreadable: 0,
    tooDeep: 0,
    turns: new Turns({ signal: options.signal }),
  };
  await readDirectory(state, root, '');
  while (state.waiting.length > 0) {
    const batch = state.waiting.splice(-parallelDirectories);
    const outcomes = await Promise.allSettled(batch.map((directory) => enter(state, directory)));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }
  const { unreadable, tooDeep } = state;
  return { unreadable, tooDeep };
}

/**
 * Parallel directories; leaves one of the four threads of Node's file system pool to other calls.
 */
const parallelDirectories = 3;

interface WalkState extends WalkOptions {
  readonly root: PinnedPath;
  /**
   * Directories to read, a stack, so that memory grows with the depth of the tree and not with its
   * width.
   */
  readonly waiting: string[];
  unreadable: number;
  tooDeep: number;
  readonly turns: Turns;
}

const maxDepth = 256;

async function enter(state: WalkState, relative: string): Promise<void> {
  state.signal.throwIfAborted();
  if (relative.split('/', maxDepth + 1).length > maxDepth) {
    state.tooDeep++;
    return;
  }
  try {
    await using directory = await state.sandbox.pinExactly(
      path.join(state.root.realPath, relative),
    );
    await readDirectory(state, directory, `${relative}/`);
  } catch (error) {
    state.signal.throwIfAborted();
    if (!(error instanceof PathError) && !isSystemError(error)) throw error;
    state.unreadable++;
  }
}

async function readDirectory(
  state: WalkState,
  directory: PinnedPath,
  prefix: string,
): Promise<void> {
  state.signal.throwIfAborted();
  await state.gitignore?.enter(directory, state.sandbox);
  const mayHide = state.gitignore !== undefined || state.sandbox.hasDenied;
  for await (const batch of entryBatches(directory, state.signal)) {
    state.signal.throwIfAborted();
    for (const { name, type } of batch) {
      if (mayHide && isHidden(state, path.join(directory.realPath, name), type)) continue;
      const isWanted = state.visit({ path: prefix + name, type });
      if (isWanted && type === 'directory') state.waiting.push(prefix + name);
      if (state.turns.isOver) await state.turns.pause();
    }
  }
}

function isHidden({ sandbox, gitignore }: WalkState, realPath: string, type: EntryType): boolean {
  return (
    sandbox.isDenied(realPath) || gitignore?.isIgnored(realPath, type === 'directory') === true
  );
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
