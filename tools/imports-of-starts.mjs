import { findStarts, modulesOf } from './bundle-starts.mjs';

/** Matches a module that a plugin makes: it follows the module that imports it. */
const IS_MADE = /^[\w-]+:/;
/** Starts of at most this many bytes share their modules through the common start. */
const SMALL_START_BYTES = 100_000;

/**
 * Returns the modules that the start of a dynamic import must import as well, by start: those that are loaded before it in every case. Otherwise esbuild writes a file
 * for each combination of starts that share modules, and every file costs a program a third of a millisecond. `common` is the start that every program loads first,
 * if there is one. It also gets the shared modules of the small starts that it imports dynamically, so that these need no files of their own.
 */
export function importsOfStarts({ inputs, outputs }, programs, common) {
  const startsOf = findStarts(outputs);
  const starts = [...new Set([...startsOf.values()].flat())];
  const loadedBy = new Map(starts.map((start) => [start, new Set(modulesOf(start, outputs))]));
  const found = new Map();
  if (common !== undefined) {
    const shared = modulesForCommon();
    found.set(common, shared);
    for (const file of shared) loadedBy.get(common).add(file);
  }
  for (const [start, before] of loadedBefore())
    if (!programs.includes(start) && inputs[start]?.format === 'esm')
      found.set(start, [...(found.get(start) ?? []), ...[...before].filter(isShared)]);
  return found;

  function isShared(file) {
    return (
      startsOf.get(file)?.length > 1 && inputs[file]?.format !== undefined && !IS_MADE.test(file)
    );
  }

  function modulesForCommon() {
    const small = importedBy(common).filter((start) => bytesOf(start) <= SMALL_START_BYTES);
    const files = new Set(small.flatMap((start) => [...loadedBy.get(start)]));
    return [...files].filter(isShared);
  }

  function bytesOf(start) {
    return Object.values(outputs)
      .flatMap((output) => Object.entries(output.inputs))
      .filter(([file]) => loadedBy.get(start).has(file))
      .reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0);
  }

  function importedBy(start) {
    return [...loadedBy.get(start)]
      .flatMap((file) => inputs[file]?.imports ?? [])
      .filter(({ kind, path }) => kind === 'dynamic-import' && loadedBy.has(path))
      .map(({ path }) => path);
  }

  /** Returns by start the modules that every way to it loads. */
  function loadedBefore() {
    const before = new Map(programs.map((program) => [program, new Set()]));
    const waiting = [...programs];
    for (let start = waiting.pop(); start !== undefined; start = waiting.pop()) {
      const loaded = before.get(start).union(loadedBy.get(start));
      for (const next of importedBy(start)) {
        const known = before.get(next);
        const both = known === undefined ? loaded : known.intersection(loaded);
        if (known?.size === both.size) continue;
        before.set(next, both);
        waiting.push(next);
      }
    }
    return before;
  }
}
