import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import path from 'node:path';
import { PathError, type PinnedPath, type Sandbox } from '@signalbox/file-sandbox';
import {
  compileContentPattern,
  type ContentPattern,
  type ContentPatternOptions,
} from './content-pattern.ts';
import { Gitignore } from './gitignore.ts';
import { compilePatterns } from './glob.ts';
import { jsonBytes } from './limits.ts';
import { isOnQuickFileSystem } from './quick-file-system.ts';
import { LineSearch, type LineMatch } from './search-lines.ts';
import { byCodePoint } from './smallest-items.ts';
import { inspectStart } from './text-encoding.ts';
import { Turns } from './turns.ts';
import { walk } from './walk.ts';

export interface ContentSearchOptions extends ContentPatternOptions {
  /** Glob of the searched files; default all. */
  readonly glob?: string;
  readonly excludePatterns: readonly string[];
  readonly respectGitignore: boolean;
  /** Number of lines shown before and after each match. */
  readonly context: number;
  readonly maxResults: number;
  /** Maximum number of bytes of JSON for the matches. */
  readonly maxBytes: number;
}

export interface ContentMatch extends LineMatch {
  /** Path in the spelling that other tools accept. */
  readonly path: string;
}

export interface ContentSearchRun {
  readonly sandbox: Sandbox;
  readonly signal: AbortSignal;
  readonly onScanned: (files: number, matches: number) => void;
}

export interface ContentSearchOutcome {
  /** Matches sorted by path, then by line. */
  readonly matches: readonly ContentMatch[];
  /** Whether there may be more matches. */
  readonly truncated: boolean;
  /** Number of directories more than 256 levels down, which were not searched. */
  readonly tooDeep: number;
  /** Number of skipped `.gitignore` files. */
  readonly unreadRules: number;
  /** Number of searched files. */
  readonly scanned: number;
  readonly skippedBinary: number;
  /** Number of files and directories that could not be opened. */
  readonly unreadable: number;
}

/** Maximum number of files of one search; the rest of the tree is skipped. */
const maxFiles = 200_000;

/**
 * Searches the text files at or below a verified path, in the order of their paths, without
 * following links. Memory is bounded by the matches, the paths of 200,000 files and one part of a
 * file. Yields to the event loop after 20 ms.
 * @throws PathError `invalid` for a pattern or glob that cannot be used
 */
export async function searchContent(
  root: PinnedPath,
  options: ContentSearchOptions,
  run: ContentSearchRun,
): Promise<ContentSearchOutcome> {
  const pattern = await compileContentPattern(options);
  const turns = new Turns({ signal: run.signal });
  const quickDevice = (await isOnQuickFileSystem(root)) ? root.stats.dev : undefined;
  const state = {
    pattern,
    options,
    run,
    turns,
    quickDevice,
    smallFile: Buffer.alloc(smallFileBytes + 1),
  };
  const {
    paths,
    hasMore,
    unreadable: unreadableDirectories,
    tooDeep,
    unreadRules,
  } = await findFiles(root, options, run);
  const counts = { scanned: 0, skippedBinary: 0, unreadable: unreadableDirectories };
  const found = new FoundMatches(options);
  for (const [index, realPath] of paths.entries()) {
    run.signal.throwIfAborted();
    if (found.isFull) break;
    const outcome = await searchFile(realPath, found.space, state);
    if (outcome === 'binary') counts.skippedBinary++;
    else if (outcome === 'unreadable') counts.unreadable++;
    else {
      counts.scanned++;
      found.add(run.sandbox.spell(realPath), outcome.matches);
    }
    if ((index + 1) % progressFiles === 0) run.onScanned(index + 1, found.matches.length);
  }
  run.onScanned(counts.scanned + counts.skippedBinary + counts.unreadable, found.matches.length);
  return {
    matches: found.matches,
    truncated: hasMore || found.isFull || tooDeep > 0,
    tooDeep,
    unreadRules,
    ...counts,
  };
}

/** The matches that fit into a result. */
class FoundMatches {
  readonly matches: ContentMatch[] = [];
  readonly #maxResults: number;
  #bytesLeft: number;

  constructor({ maxResults, maxBytes }: ContentSearchOptions) {
    this.#maxResults = maxResults;
    this.#bytesLeft = maxBytes;
  }

  get space(): number {
    return this.#maxResults - this.matches.length;
  }

  get isFull(): boolean {
    return this.space <= 0 || this.#bytesLeft < 0;
  }

  add(spelled: string, matches: readonly LineMatch[]): void {
    for (const match of matches) {
      this.#bytesLeft -= jsonBytes(spelled) + jsonBytes(JSON.stringify(match));
      if (this.isFull) return;
      this.matches.push({ path: spelled, ...match });
    }
  }
}

const progressFiles = 200;

interface SearchState {
  readonly pattern: ContentPattern;
  readonly options: ContentSearchOptions;
  readonly run: ContentSearchRun;
  readonly turns: Turns;
  /** Device whose small files are read on the calling thread. */
  readonly quickDevice: number | undefined;
  readonly smallFile: Buffer;
}

interface FoundFiles {
  /** Real paths of the files, sorted. */
  readonly paths: readonly string[];
  readonly hasMore: boolean;
  readonly unreadable: number;
  readonly tooDeep: number;
  readonly unreadRules: number;
}

async function findFiles(
  root: PinnedPath,
  { glob, excludePatterns, respectGitignore }: ContentSearchOptions,
  { sandbox, signal }: ContentSearchRun,
): Promise<FoundFiles> {
  if (!root.stats.isDirectory())
    return { paths: [root.realPath], hasMore: false, unreadable: 0, tooDeep: 0, unreadRules: 0 };
  const exclusions = compilePatterns(excludePatterns);
  const [isWanted = () => true] = glob === undefined ? [] : compilePatterns([withAnyDepth(glob)]);
  const found: string[] = [];
  const gitignore = respectGitignore ? await Gitignore.above(root, sandbox) : undefined;
  const skipped = await walk(root, {
    sandbox,
    signal,
    ...(gitignore === undefined ? {} : { gitignore }),
    visit({ path: relative, type }) {
      if (found.length > maxFiles || exclusions.some((isExcluded) => isExcluded(relative)))
        return false;
      if (type === 'file' && isWanted(relative)) found.push(relative);
      return true;
    },
  });
  const paths = found.slice(0, maxFiles).toSorted(byCodePoint);
  return {
    paths: paths.map((relative) => path.join(root.realPath, relative)),
    hasMore: found.length > maxFiles,
    ...skipped,
    unreadRules: gitignore?.unread ?? 0,
  };
}

/** Makes a glob without `/`, such as `*.ts`, match at any depth, as in other content searches. */
function withAnyDepth(glob: string): string {
  return glob.includes('/') ? glob : `**/${glob}`;
}

const chunkBytes = 256 * 1024;
const smallestChunkBytes = 64 * 1024;
const inspectedBytes = 8192;

async function searchFile(
  realPath: string,
  maxMatches: number,
  state: SearchState,
): Promise<LineSearch | 'binary' | 'unreadable'> {
  const { run, turns } = state;
  try {
    if (turns.isOver) await turns.pause();
    await using file =
      (state.quickDevice === undefined ? undefined : run.sandbox.pinExactlyNow(realPath)) ??
      (await run.sandbox.pinExactly(realPath));
    if (!file.stats.isFile()) return 'unreadable';
    return searchAtOnce(file, maxMatches, state) ?? (await searchText(file, maxMatches, state));
  } catch (error) {
    run.signal.throwIfAborted();
    if (!(error instanceof PathError) && !(error instanceof Error && 'syscall' in error))
      throw error;
    return 'unreadable';
  }
}

/** Largest file that is read on the calling thread; another thread takes several times as long. */
const smallFileBytes = 64 * 1024;

function searchAtOnce(
  file: PinnedPath,
  maxMatches: number,
  { quickDevice, smallFile, pattern, options }: SearchState,
): LineSearch | 'binary' | undefined {
  if (
    file.readNow === undefined ||
    file.stats.dev !== quickDevice ||
    file.stats.size > smallFileBytes
  )
    return undefined;
  const length = file.readNow(smallFile);
  if (length > smallFileBytes) return undefined;
  const chunk = smallFile.subarray(0, length);
  const start = inspectStart(chunk.subarray(0, inspectedBytes));
  if (start === undefined) return 'binary';
  const search = new LineSearch(pattern, { context: options.context, maxMatches });
  // Without the bytes of the pattern no line can match.
  const mayMatch =
    length > 0 &&
    (start.encoding !== 'utf-8' || pattern.bytes === undefined || chunk.includes(pattern.bytes));
  if (mayMatch) search.take(decoderOf(start.encoding, chunk)(chunk));
  search.finish();
  return search;
}

async function searchText(
  file: PinnedPath,
  maxMatches: number,
  state: SearchState,
): Promise<LineSearch | 'binary'> {
  const { pattern, options, run, turns } = state;
  await using handle = await file.open(constants.O_RDONLY);
  const search = new LineSearch(pattern, { context: options.context, maxMatches });
  // Files of /proc report a size of 0 and return little with each read.
  const buffer = Buffer.allocUnsafe(
    Math.min(chunkBytes, Math.max(file.stats.size + 1, smallestChunkBytes)),
  );
  let decode: ((chunk: Buffer) => string) | undefined;
  for (let position = 0; !search.isComplete;) {
    run.signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    if (decode === undefined) {
      const start = inspectStart(chunk.subarray(0, inspectedBytes));
      if (start === undefined) return 'binary';
      // Without the bytes of the pattern no line of a complete file can match.
      const isWhole = bytesRead < buffer.length && file.stats.size > 0;
      if (
        isWhole &&
        start.encoding === 'utf-8' &&
        pattern.bytes !== undefined &&
        !chunk.includes(pattern.bytes)
      )
        break;
      decode = decoderOf(start.encoding, isWhole ? chunk : chunk.subarray(0, lastBoundary(chunk)));
    }
    search.take(decode(chunk));
    position += bytesRead;
    if (turns.isOver) await turns.pause();
  }
  search.finish();
  return search;
}

/**
 * Returns a decoder that drops the byte order mark. Text that does not begin as UTF-8 is decoded as
 * Latin-1.
 */
function decoderOf(
  encoding: 'utf-8' | 'utf-16le' | 'utf-16be',
  first: Buffer,
): (chunk: Buffer) => string {
  if (encoding === 'utf-8' && !isUtf8(first)) return (chunk) => chunk.toString('latin1');
  const decoder = new TextDecoder(encoding);
  return (chunk) => decoder.decode(chunk, { stream: true });
}

/** Returns the index before the last character, which the end of a part may have cut. */
function lastBoundary(bytes: Buffer): number {
  for (let position = bytes.length - 1; position > bytes.length - 5 && position > 0; position--) {
    if (((bytes[position] ?? 0) & 0xc0) !== 0x80) return position;
  }
  return bytes.length;
}
