import path from 'node:path';
import type { PinnedPath, Sandbox } from '@signalbox/file-sandbox';
import type { EntryType } from './entry-type.ts';
import { Gitignore } from './gitignore.ts';
import { compilePatterns } from './glob.ts';
import { jsonBytes } from './limits.ts';
import { MatchGroups, type MatchGroup } from './match-groups.ts';
import { byCodePoint, SmallestItems } from './smallest-items.ts';
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
  /** Maximum number of bytes of JSON for the matches, once as they are and twice as absolute paths. */
  readonly maxBytes: number;
}

export interface SearchRun {
  readonly sandbox: Sandbox;
  readonly signal: AbortSignal;
  readonly onScanned: (entries: number, matches: number) => void;
}

export interface SearchOutcome {
  /**
   * Matches in the spelling that other tools accept; directories end in `/`. A directory comes
   * before its contents, and the entries of a directory are sorted by name.
   */
  readonly matches: readonly string[];
  /** Absolute paths of the matches. */
  readonly paths: readonly string[];
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
    byCodePoint(left.key, right.key),
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
        found.add({ ...entry, key: entry.path.replaceAll('/', '\0') });
        groups?.add(entry.path);
      }
      return true;
    },
  });
  run.onScanned(scanned, total);
  const reachable: Found[] = [];
  for (const match of found.sorted())
    if (match.type !== 'symlink' || (await canBeRead(path.join(root.realPath, match.path), run)))
      reachable.push(match);
    else total--;
  const listed = withinBudget(
    reachable.map((match) => spell(match, root, run.sandbox)),
    options.maxBytes,
  );
  return {
    matches: listed.map(({ match }) => match),
    paths: listed.map(({ absolute }) => absolute),
    total,
    scanned,
    truncated: listed.length < total || tooDeep > 0,
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
  /** Path that sorts before all paths below it, and after no sibling of a larger name. */
  readonly key: string;
}

/** Whether a link leads to something allowed. Other links are no matches, as in the official server. */
async function canBeRead(link: string, { sandbox, signal }: SearchRun): Promise<boolean> {
  signal.throwIfAborted();
  try {
    await (await sandbox.pin(link)).close();
    return true;
  } catch {
    return false;
  }
}

interface SpelledMatch {
  readonly match: string;
  readonly absolute: string;
}

function spell({ path: found, type }: Found, root: PinnedPath, sandbox: Sandbox): SpelledMatch {
  const absolute = path.join(root.realPath, found);
  const spelled = sandbox.spell(absolute);
  return { match: type === 'directory' ? `${spelled}/` : spelled, absolute };
}

function withinBudget(matches: readonly SpelledMatch[], maxBytes: number): readonly SpelledMatch[] {
  let bytes = 0;
  const end = matches.findIndex(
    ({ match, absolute }) => (bytes += jsonBytes(match) + 2 * jsonBytes(absolute) + 4) > maxBytes,
  );
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
