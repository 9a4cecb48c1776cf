import { isUtf8 } from 'node:buffer';
import path from 'node:path';
import { PathError, type PinnedPath, type Sandbox } from '@signalbox/file-sandbox';
import type { Ignore } from 'ignore';
import { readBounded } from './read-bounded.ts';

const maxFileBytes = 256 * 1024;

/**
 * The `.gitignore` rules of a tree and of the directories above it inside the sandbox. `enter` each
 * directory before you ask about its entries. Skips rules with many wildcards, whose matching could
 * take long, and files that are over 256 KiB or not UTF-8.
 * @see https://git-scm.com/docs/gitignore
 */
export class Gitignore {
  readonly #create: () => Ignore;
  /** Rules by the real path of their directory. */
  readonly #rules = new Map<string, Ignore>();

  #unread = 0;

  private constructor(create: () => Ignore) {
    this.#create = create;
  }

  static async above(directory: PinnedPath, sandbox: Sandbox): Promise<Gitignore> {
    const { default: ignore } = await import('ignore');
    const gitignore = new Gitignore(() => ignore());
    for (
      let current = path.dirname(directory.realPath);
      sandbox.allows(current) && path.dirname(current) !== current;
      current = path.dirname(current)
    ) {
      await using parent = await sandbox.pinExactly(current);
      await gitignore.enter(parent, sandbox);
    }
    return gitignore;
  }

  /** Number of skipped files, which are too long or not UTF-8. */
  get unread(): number {
    return this.#unread;
  }

  async enter(directory: PinnedPath, sandbox: Sandbox): Promise<void> {
    const text = await readRules(directory, sandbox);
    if (text === 'unusable') this.#unread++;
    if (text === undefined || text === 'unusable') return;
    const lines = text.rules.split(/\r?\n/).filter(isQuick);
    this.#rules.set(directory.realPath, this.#create().add(lines));
  }

  /**
   * Whether an entry of an entered directory is ignored. The nearest file with a matching rule
   * decides.
   */
  isIgnored(realPath: string, isDirectory: boolean): boolean {
    if (isDirectory && path.basename(realPath) === '.git') return true;
    if (this.#rules.size === 0) return false;
    for (let current = path.dirname(realPath); ; current = path.dirname(current)) {
      const rules = this.#rules.get(current);
      if (rules !== undefined) {
        const relative = path.relative(current, realPath).replaceAll(path.sep, '/');
        const { ignored, unignored } = rules.test(isDirectory ? `${relative}/` : relative);
        if (ignored || unignored) return ignored;
      }
      if (path.dirname(current) === current) return false;
    }
  }
}

/**
 * Whether a rule has few wildcards. The library uses backtracking regular expressions, whose time
 * grows with a power of their number.
 */
function isQuick(rule: string): boolean {
  return rule.length <= 1000 && (rule.match(/\*+/g)?.length ?? 0) <= 4;
}

async function readRules(
  directory: PinnedPath,
  sandbox: Sandbox,
): Promise<{ readonly rules: string } | 'unusable' | undefined> {
  try {
    await using file = await sandbox.pinEntry({ directory, name: '.gitignore' });
    if (!file.stats.isFile()) return undefined;
    const { bytes, hasMore } = await readBounded(file, maxFileBytes);
    return hasMore || !isUtf8(bytes) || bytes.includes(0)
      ? 'unusable'
      : { rules: bytes.toString().replace(/^\uFEFF/, '') };
  } catch (error) {
    if (error instanceof PathError || (error instanceof Error && 'syscall' in error))
      return undefined;
    throw error;
  }
}

/** Returns a note about skipped `.gitignore` files; `undefined` without any. */
export function unreadRulesNote(unread: number): string | undefined {
  return unread === 0
    ? undefined
    : `[${unread} .gitignore ${unread === 1 ? 'file is' : 'files are'} not obeyed: over 256 KiB, or not UTF-8.]`;
}
