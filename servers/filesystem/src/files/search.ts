import path from 'node:path';
import type { PinnedPath, Sandbox } from '@signalbox/file-sandbox';
import type { EntryType } from './entry-type.ts';
import { Gitignore } from './gitignore.ts';
import { compilePatterns } from './glob.ts';
import { jsonBytes } from './limits.ts';
import { MatchGroups, type MatchGroup } from './match-groups.ts';
import { byCodeUnit, SmallestItems } from './smallest-items.ts';
import { walk } from './walk.ts';

export interface SearchOptions {
  readonly pattern: string;
  /** Patterns of entries to skip together with their contents. */
  readonly excludePatterns: readonly string[];
  readonly type: 'any' | 'file' | 'directory';
  readonly maxResults: number;
  /** Number of leading directories that form a group; `undefined` for no groups. */
  readonly groupDepth: number | undefined;
  readonly respectGitignore: boolean;
  /** Maximum number of bytes of JSON for the matches. */
  readonly maxBytes: number;
}

export interface SearchRun {
  readonly sandbox: Sandbox;
  readonly signal: AbortSignal;
  readonly onScanned: (entries: number, matches: number) => void;
}

export interface SearchOutcome {
  /** Matches, sorted, in the spelling that other tools accept; directories end in `/`. */
  readonly matches: readonly string[];
  /** Number of all matches, returned or not. */
  readonly total: number;
  readonly scanned: number;
  readonly truncated: boolean;
  /** Number of directories more than 256 levels down, which were not searched. */
  readonly tooDeep: number;
  /** Number of skipped `.gitignore` files. */
  readonly unreadRules: number;
  /** Number of directories that could not be opened; absent when 0. */
  readonly unreadable?: number;
  readonly groups?: readonly MatchGroup[];
  /** Present when there are more groups than were returned. */
  readonly groupsTruncated?: true;
}

/** Finds entries by name or glob below a verified directory. Memory is bounded by `maxResults`, the groups and the depth of the tree. */
export async function search(
  root: PinnedPath,
  options: SearchOptions,
  run: SearchRun,
): Promise<SearchOutcome> {
  const exclusions = compilePatterns(options.excludePatterns);
  const [isMatch = () => false] = compilePatterns([options.pattern]);
  const found = new SmallestItems<Found>(options.maxResults, (left, right) =>
    byCodeUnit(left.path, right.path),
  );
  const groups = options.groupDepth === undefined ? undefined : new MatchGroups(options.groupDepth);
  let scanned = 0;
  let total = 0;
  const gitignore = options.respectGitignore ? await Gitignore.above(root, run.sandbox) : undefined;
  const { unreadable, tooDeep } = await walk(root, {
    sandbox: run.sandbox,
    signal: run.signal,
    ...(gitignore === undefined ? {} : { gitignore }),
    visit(entry) {
      scanned++;
      if (scanned % progressEntries === 0) run.onScanned(scanned, total);
      if (exclusions.some((isExcluded) => isExcluded(entry.path))) return false;
      if ((options.type === 'any' || options.type === entry.type) && isMatch(entry.path)) {
        total++;
        found.add(entry);
        groups?.add(entry.path);
      }
      return true;
    },
  });
  run.onScanned(scanned, total);
  const matches = withinBudget(
    found.sorted().map((match) => spell(match, root, run.sandbox)),
    options.maxBytes,
  );
  return {
    matches,
    total,
    scanned,
    truncated: matches.length < total || tooDeep > 0,
    tooDeep,
    unreadRules: gitignore?.unread ?? 0,
    ...(unreadable === 0 ? {} : { unreadable }),
    ...(groups === undefined ? {} : pageOf(groups)),
  };
}

const progressEntries = 1000;
const maxGroups = 1000;
const groupsBudgetBytes = 100 * 1024;

interface Found {
  readonly path: string;
  readonly type: EntryType;
}

function spell(match: Found, root: PinnedPath, sandbox: Sandbox): string {
  const spelled = sandbox.spell(path.join(root.realPath, match.path));
  return match.type === 'directory' ? `${spelled}/` : spelled;
}

function withinBudget(matches: readonly string[], maxBytes: number): readonly string[] {
  let bytes = 0;
  const end = matches.findIndex((match) => (bytes += jsonBytes(match) + 1) > maxBytes);
  return end === -1 ? matches : matches.slice(0, end);
}

function pageOf(all: MatchGroups): Pick<SearchOutcome, 'groups' | 'groupsTruncated'> {
  const largest = all.largest(maxGroups);
  let bytes = 0;
  const end = largest.findIndex(
    (group) => (bytes += jsonBytes(group.directory) + 32) > groupsBudgetBytes,
  );
  const groups = end === -1 ? largest : largest.slice(0, end);
  return groups.length < all.size ? { groups, groupsTruncated: true } : { groups };
}
