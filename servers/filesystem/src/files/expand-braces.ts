import { ClassFinder } from './class-finder.ts';

/**
 * Expands every `{a,b}` of a glob, also nested: `{a,b}/*.{js,ts}` becomes four globs. Braces
 * without a comma or partner, in a character class or after `\` are ordinary characters. Returns
 * `undefined` for more than `limit` globs.
 */
export function expandBraces(glob: string, limit: number): readonly string[] | undefined {
  const group = findGroup(glob);
  if (group === undefined) return [glob];
  const tails = expandBraces(glob.slice(group.end + 1), limit);
  if (tails === undefined) return undefined;
  const expanded: string[] = [];
  for (const option of group.options) {
    const heads = expandBraces(option, limit);
    if (heads === undefined || expanded.length + heads.length * tails.length > limit)
      return undefined;
    for (const head of heads)
      for (const tail of tails) expanded.push(glob.slice(0, group.start) + head + tail);
  }
  return expanded;
}

interface Group {
  readonly start: number;
  /** Index of the closing brace. */
  readonly end: number;
  readonly options: readonly string[];
}

/** Returns the first group with at least two options. */
function findGroup(glob: string): Group | undefined {
  const open: { readonly start: number; readonly commas: number[] }[] = [];
  const classes = new ClassFinder(glob);
  let found: Group | undefined;
  for (let at = 0; at < glob.length; at++) {
    const character = glob[at];
    if (character === '\\') at += 1;
    else if (character === '[') at = classes.endOf(at) ?? at;
    else if (character === '{') open.push({ start: at, commas: [] });
    else if (character === ',') open.at(-1)?.commas.push(at);
    else if (character === '}') found = outer(close(glob, open.pop(), at), found);
    // A group inside an open brace may be part of an outer group.
    if (found !== undefined && open.length === 0) return found;
  }
  return found;
}

function outer(closed: Group | undefined, earlier: Group | undefined): Group | undefined {
  if (closed === undefined || earlier === undefined) return closed ?? earlier;
  return closed.start < earlier.start ? closed : earlier;
}

function close(
  glob: string,
  opened: { readonly start: number; readonly commas: readonly number[] } | undefined,
  end: number,
): Group | undefined {
  if (opened === undefined || opened.commas.length === 0) return undefined;
  const borders = [opened.start, ...opened.commas, end];
  return {
    start: opened.start,
    end,
    options: borders.slice(1).map((border, index) => glob.slice((borders[index] ?? 0) + 1, border)),
  };
}
