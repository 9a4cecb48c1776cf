import { readdirSync, readFileSync, utimesSync } from 'node:fs';
import { open, symlink } from 'node:fs/promises';
import path from 'node:path';
import { createTemporaryFolders, startSwapper } from '@signalbox/file-sandbox/testing';
import type { Opener } from '@signalbox/file-sandbox';
import { createToolCaller } from '../src/testing/call-tool.ts';
import { marks, outsideTime, readKinds } from './read-kinds.ts';
import { insideFiles, names, outsideFiles, writeKinds } from './write-kinds.ts';

export interface AttackPlan {
  readonly reads: number;
  readonly writes: number;
  /** Whether to end the attack when it has broken every kind; for a control. */
  readonly stopsWhenBroken?: boolean;
}

/** Counts of one kind of request. */
export interface KindCount {
  sent: number;
  /** Reads that showed the directory inside, and writes that succeeded. */
  succeeded: number;
  /** Reads that showed something of the outside, or changes outside that only such writes make. */
  broken: number;
}

export interface AttackOutcome {
  readonly kinds: ReadonlyMap<string, KindCount>;
  /** Answers, also of writes and errors, that show something of the outside. */
  readonly leaks: number;
  /** Changes of paths outside: `added`, `changed` or `removed`, and the path. */
  readonly changesOutside: ReadonlySet<string>;
  readonly swaps: number;
  readonly elapsedMs: number;
}

/** Number of parallel calls. */
const width = 40;
/** Longest pause after a swap: without pauses, calls of many steps seldom succeed. */
const maxPauseMs = 10;

/**
 * Sends requests of every kind while another thread swaps their directory with a link to the
 * outside. A control then goes on with the kinds that are not broken.
 */
export async function attack(
  opener: Opener,
  { reads, writes, stopsWhenBroken = false }: AttackPlan,
): Promise<AttackOutcome> {
  await using folders = await createTemporaryFolders({ root: insideFiles, outside: outsideFiles });
  await symlink(folders.outside, path.join(folders.root, 'link'));
  await using directory = await open(path.join(folders.root, 'd'));
  const tools = await createToolCaller([folders.root], { opener });
  const kinds = new Map<string, KindCount>(
    [...readKinds, ...writeKinds].map(({ name }) => [name, { sent: 0, succeeded: 0, broken: 0 }]),
  );
  const sent = { reads: 0, writes: 0 };
  const left = { reads: readKinds, writes: writeKinds };
  let leaks = 0;
  /** Counts a request; resolves with whether its answer shows something of the outside. */
  const settle = async (name: string, request: Promise<unknown>, shows: string) => {
    const answer = await request.then(
      (value) => JSON.stringify(value),
      (error: unknown) => error,
    );
    const isDone = typeof answer === 'string' && answer.includes(shows);
    const hasLeaked = marks.some((mark) => String(answer).includes(mark));
    if (hasLeaked) leaks++;
    add(kinds, name, { sent: 1, succeeded: isDone ? 1 : 0 });
    return hasLeaked;
  };
  const read = async () => {
    const { name, send, shows } = itemOf(left.reads, sent.reads++);
    if (await settle(name, send(tools), shows)) add(kinds, name, { broken: 1 });
  };
  const write = async () => {
    const number = Math.floor(sent.writes / left.writes.length) % names;
    const { name, prepare, tool, args } = itemOf(left.writes, sent.writes++);
    prepare?.(`/proc/self/fd/${directory.fd}`, number);
    await settle(name, tools.call(tool, args(number)), '');
  };
  const outside = watchOutside(folders.outside);
  const look = () => {
    for (const change of outside.look())
      for (const { name, isChange } of writeKinds)
        if (isChange.test(change)) add(kinds, name, { broken: 1 });
  };
  const isUnbroken = ({ name }: { readonly name: string }) => kinds.get(name)?.broken === 0;
  const began = performance.now();
  await using swapper = await startSwapper(folders.root, { maxPauseMs });
  for (;;) {
    const canRead = () => left.reads.length > 0 && sent.reads < reads;
    const canWrite = () => left.writes.length > 0 && sent.writes < writes;
    if (!canRead() && !canWrite()) break;
    const batch = Array.from({ length: width }, async (_, index) => {
      if (canRead() && (index % 4 !== 0 || !canWrite())) await read();
      else if (canWrite()) await write();
    });
    await Promise.all(batch);
    if (!stopsWhenBroken) continue;
    look();
    left.reads = left.reads.filter(isUnbroken);
    left.writes = left.writes.filter(isUnbroken);
  }
  const swaps = await swapper.stop();
  look();
  return {
    kinds,
    leaks,
    changesOutside: outside.changes,
    swaps,
    elapsedMs: performance.now() - began,
  };
}

function itemOf<T>(items: readonly T[], round: number): T {
  return items[round % items.length] as T;
}

function add(
  kinds: ReadonlyMap<string, KindCount>,
  name: string,
  { sent = 0, succeeded = 0, broken = 0 }: Partial<KindCount>,
): void {
  const count = kinds.get(name);
  if (count === undefined) return;
  count.sent += sent;
  count.succeeded += succeeded;
  count.broken += broken;
}

interface OutsideWatch {
  readonly changes: ReadonlySet<string>;
  /** Returns the changes since the last look. */
  readonly look: () => readonly string[];
}

function watchOutside(folder: string): OutsideWatch {
  let before = contentsOf(folder);
  const changes = new Set<string>();
  setTimes(folder, before);
  return {
    changes,
    look() {
      const after = contentsOf(folder);
      const found = differences(before, after);
      for (const change of found) changes.add(change);
      if (found.length > 0) setTimes(folder, after);
      before = after;
      return found;
    },
  };
}

/** Sets the time by which an answer shows the outside; also of the folder itself, which every change in it resets. */
function setTimes(folder: string, contents: Contents): void {
  for (const name of [...contents.keys(), '.'])
    utimesSync(path.join(folder, name), outsideTime, outsideTime);
}

type Contents = ReadonlyMap<string, string>;

function contentsOf(folder: string): Contents {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries.map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return [
        path.relative(folder, file),
        entry.isFile() ? readFileSync(file, 'utf8') : 'directory',
      ];
    }),
  );
}

function differences(before: Contents, after: Contents): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    if (before.get(name) === after.get(name)) return [];
    if (!before.has(name)) return `added ${name}`;
    return after.has(name) ? `changed ${name}` : `removed ${name}`;
  });
}
