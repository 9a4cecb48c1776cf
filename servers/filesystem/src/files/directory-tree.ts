import path from 'node:path';
import { PathError, type PinnedPath, type Sandbox } from '@signalbox/file-sandbox';
import { entryBatches, type TypedEntry } from './entry-batches.ts';
import type { EntryType } from './entry-type.ts';
import { Gitignore } from './gitignore.ts';
import { compilePatterns } from './glob.ts';
import { jsonBytes } from './limits.ts';
import { isOnQuickFileSystem } from './quick-file-system.ts';
import { byCodePoint, SmallestItems } from './smallest-items.ts';

export interface TreeNode {
  readonly name: string;
  readonly type: EntryType;
  /** Children of a directory, sorted by name. */
  readonly children?: TreeNode[];
  /** Number of entries omitted because of a limit; -1 for a directory that was not opened. */
  omitted?: number;
}

export interface TreeOptions {
  readonly excludePatterns: readonly string[];
  readonly maxDepth: number;
  readonly maxEntries: number;
  /** Maximum number of bytes of the tree as indented JSON. */
  readonly maxBytes: number;
  readonly respectGitignore: boolean;
}

export interface TreeRun {
  readonly sandbox: Sandbox;
  readonly signal: AbortSignal;
  readonly onScanned: (entries: number) => void;
}

export interface DirectoryTree {
  /** Number of skipped `.gitignore` files. */
  readonly unreadRules: number;
  readonly tree: readonly TreeNode[];
  /** Whether a limit omitted entries. */
  readonly truncated: boolean;
  readonly counts: {
    /** Number of files in the tree. */
    readonly files: number;
    readonly directories: number;
    /** Number of entries omitted because of a limit. */
    readonly omitted: number;
    /** Number of directories not opened because of a limit. */
    readonly unopened: number;
    /** Number of directories that could not be opened. */
    readonly unreadable: number;
  };
}

/**
 * Returns the entries below a verified directory. Reads level by level, so that a truncated tree is
 * complete at its top; the directories of a level share the remaining space. Does not follow links.
 * Memory is bounded by `maxEntries`.
 * @throws PathError `invalid` for a pattern that cannot be used
 */
export async function directoryTree(
  root: PinnedPath,
  options: TreeOptions,
  run: TreeRun,
): Promise<DirectoryTree> {
  const gitignore = options.respectGitignore ? await Gitignore.above(root, run.sandbox) : undefined;
  return new TreeBuilder(root, options, { ...run, gitignore }).build();
}

interface OpenDirectory {
  readonly relative: string;
  readonly node: { readonly children: TreeNode[]; omitted?: number };
}

class TreeBuilder {
  readonly #root: PinnedPath;
  readonly #options: TreeOptions;
  readonly #run: TreeRun & { readonly gitignore: Gitignore | undefined };
  readonly #isExcluded: (relative: string) => boolean;
  readonly #counts = { files: 0, directories: 0, omitted: 0, unopened: 0, unreadable: 0 };
  /** Whether directories are opened on this thread, which takes a third of the time. */
  #isQuick = false;
  #entriesLeft: number;
  #bytesLeft: number;
  #scanned = 0;

  constructor(
    root: PinnedPath,
    options: TreeOptions,
    run: TreeRun & { readonly gitignore: Gitignore | undefined },
  ) {
    this.#root = root;
    this.#options = options;
    this.#run = run;
    const exclusions = compilePatterns(options.excludePatterns);
    this.#isExcluded = (relative) => exclusions.some((isExcluded) => isExcluded(relative));
    this.#entriesLeft = options.maxEntries;
    this.#bytesLeft = options.maxBytes;
  }

  async build(): Promise<DirectoryTree> {
    this.#isQuick = await isOnQuickFileSystem(this.#root);
    const top = { children: [] as TreeNode[] };
    let level: OpenDirectory[] = [{ relative: '', node: top }];
    for (let depth = 1; level.length > 0; depth++) {
      const next: OpenDirectory[] = [];
      for (const [index, directory] of level.entries()) {
        const share = Math.ceil(this.#entriesLeft / (level.length - index));
        if (depth > this.#options.maxDepth || share === 0 || this.#bytesLeft <= 0)
          this.#leaveClosed(directory);
        else next.push(...(await this.#open(directory, { share, depth })));
      }
      level = next;
    }
    const { omitted, unopened } = this.#counts;
    return {
      tree: top.children,
      truncated: omitted + unopened > 0,
      counts: this.#counts,
      unreadRules: this.#run.gitignore?.unread ?? 0,
    };
  }

  #leaveClosed({ node }: OpenDirectory): void {
    node.omitted = -1;
    this.#counts.unopened++;
  }

  async #open(
    { relative, node }: OpenDirectory,
    { share, depth }: { readonly share: number; readonly depth: number },
  ): Promise<OpenDirectory[]> {
    const { sandbox, signal } = this.#run;
    signal.throwIfAborted();
    try {
      if (relative === '')
        return await this.#fill(this.#root, { relative, node }, { share, depth });
      const realPath = path.join(this.#root.realPath, relative);
      await using directory =
        (this.#isQuick ? sandbox.pinExactlyNow(realPath) : undefined) ??
        (await sandbox.pinExactly(realPath));
      return await this.#fill(directory, { relative, node }, { share, depth });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof PathError) && !(error instanceof Error && 'syscall' in error))
        throw error;
      this.#counts.unreadable++;
      return [];
    }
  }

  async #fill(
    directory: PinnedPath,
    { relative, node }: OpenDirectory,
    { share, depth }: { readonly share: number; readonly depth: number },
  ): Promise<OpenDirectory[]> {
    const { sandbox, signal, gitignore, onScanned } = this.#run;
    const smallest = new SmallestItems<TypedEntry>(share, (left, right) =>
      byCodePoint(left.name, right.name),
    );
    let seen = 0;
    await gitignore?.enter(directory, sandbox);
    const mayHide = sandbox.hasDenied || gitignore !== undefined;
    const isHidden = ({ name, type }: TypedEntry) => {
      const realPath = path.join(directory.realPath, name);
      return (
        sandbox.isDenied(realPath) || gitignore?.isIgnored(realPath, type === 'directory') === true
      );
    };
    const hasExclusions = this.#options.excludePatterns.length > 0;
    for await (const batch of entryBatches(directory, signal)) {
      signal.throwIfAborted();
      for (const entry of batch) {
        if (hasExclusions && this.#isExcluded(join(relative, entry.name))) continue;
        if (mayHide && isHidden(entry)) continue;
        seen++;
        smallest.add(entry);
      }
    }
    this.#scanned += seen;
    onScanned(this.#scanned);
    const opened = this.#take(smallest.sorted(), { relative, node }, depth);
    const omitted = seen - node.children.length;
    if (omitted > 0) node.omitted = omitted;
    this.#counts.omitted += omitted;
    return opened;
  }

  /** Adds the entries that fit, and returns the directories to open. */
  #take(
    entries: readonly TypedEntry[],
    { relative, node }: OpenDirectory,
    depth: number,
  ): OpenDirectory[] {
    const opened: OpenDirectory[] = [];
    for (const { name, type } of entries) {
      this.#bytesLeft -= jsonBytes(name) + indentedBytes + depth * 16;
      if (this.#bytesLeft <= 0) break;
      this.#entriesLeft--;
      if (type === 'directory') {
        const child = { name, type, children: [] as TreeNode[] };
        node.children.push(child);
        opened.push({ relative: join(relative, name), node: child });
        this.#counts.directories++;
      } else {
        node.children.push({ name, type });
        this.#counts.files++;
      }
    }
    return opened;
  }
}

/** Bytes of a node without its name, as indented JSON without the indentation of its four lines. */
const indentedBytes = 90;

function join(relative: string, name: string): string {
  return relative === '' ? name : `${relative}/${name}`;
}
