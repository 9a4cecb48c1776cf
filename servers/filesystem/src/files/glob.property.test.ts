import { createRequire } from 'node:module';
import {
  array,
  assert,
  constant,
  constantFrom,
  oneof,
  pre,
  property,
  uniqueArray,
  type Arbitrary,
} from 'fast-check';
import { expect, test } from 'vitest';
import { compilePatterns } from './glob.ts';

/** The matcher of most JavaScript tools; without types of its own. */
const picomatch = createRequire(import.meta.url)('picomatch') as (
  glob: string,
  options: object,
) => (path: string) => boolean;

const meaning = { dot: true, nonegate: true, noextglob: true };

/** The globs that one pattern stands for once its braces are written out. */
type Alternatives = readonly string[];

const piece: Arbitrary<{ readonly pattern: string; readonly alternatives: Alternatives }> = oneof(
  constantFrom('a', 'b', 'ab', '.', '*', 'a*', '?', '[ab]', '[^a]', '[a-b]').map((pattern) => ({
    pattern,
    alternatives: [pattern],
  })),
  uniqueArray(constantFrom('a', 'b*', '?', 'ab', '.a'), { minLength: 2, maxLength: 3 }).map(
    (options) => ({ pattern: `{${options.join(',')}}`, alternatives: options }),
  ),
);

const segment = oneof(
  { weight: 1, arbitrary: constant([{ pattern: '**', alternatives: ['**'] }]) },
  { weight: 2, arbitrary: array(piece, { minLength: 1, maxLength: 3 }) },
);

const glob = array(segment, { minLength: 1, maxLength: 4 }).map((segments) => {
  const pattern = segments.map((pieces) => pieces.map((each) => each.pattern).join('')).join('/');
  const alternatives = combine(
    segments.map((pieces) =>
      combine(
        pieces.map((each) => each.alternatives),
        '',
      ),
    ),
    '/',
  );
  return { pattern, alternatives };
});

const name = constantFrom('a', 'b', 'ab', '.a', 'a.b', 'ba', 'bab', 'c', 'abc');
const path = array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));

/**
 * Whether both matchers give the pattern the same meaning. Ours takes a pattern without glob characters for a name at any depth. The
 * reference drops a leading `./` of an alternative, and its `**.a` matches `a/.a`, although `**` is not the whole segment.
 */
function isComparable({ pattern, alternatives }: { pattern: string; alternatives: Alternatives }) {
  return (
    /[*?[{/]/.test(pattern) &&
    alternatives.length <= 24 &&
    !alternatives.some((each) => each.startsWith('./') || /\*\*[^/]/.test(each))
  );
}

function combine(lists: readonly Alternatives[], separator: string): Alternatives {
  return lists.reduce<Alternatives>(
    (heads, tails) =>
      heads.flatMap((head) =>
        tails.map((tail) => (head === '\0' ? tail : `${head}${separator}${tail}`)),
      ),
    ['\0'],
  );
}

test('a glob matches the paths that the reference matcher finds for its alternatives', () => {
  let hits = 0;
  let misses = 0;
  assert(
    property(glob, array(path, { minLength: 5, maxLength: 20 }), (given, paths) => {
      pre(isComparable(given));
      const [matches] = compilePatterns([given.pattern]);
      const references = given.alternatives.map((each) => picomatch(each, meaning));
      for (const candidate of paths) {
        const expected = references.some((reference) => reference(candidate));
        if (expected) hits++;
        else misses++;
        expect([given.pattern, candidate, matches!(candidate)]).toEqual([
          given.pattern,
          candidate,
          expected,
        ]);
      }
    }),
    { numRuns: 1000 },
  );
  expect(Math.min(hits, misses)).toBeGreaterThan(300);
});
