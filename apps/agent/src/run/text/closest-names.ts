import { editDistance } from '../../text/edit-distance.ts';

const MOST = 3;
/** Longer names are not compared: the time grows with the length, and models can write any name. */
const MAX_LENGTH = 100;

/** Returns at most three names that resemble a wrong one, nearest first. */
export function closestNames(name: string, candidates: readonly string[]): readonly string[] {
  if (name.length > MAX_LENGTH) return [];
  const wanted = name.toLowerCase();
  return candidates
    .map((candidate) => ({ candidate, distance: distanceOf(wanted, candidate.toLowerCase()) }))
    .filter(({ distance, candidate }) => distance <= Math.max(name.length, candidate.length) / 2)
    .toSorted(
      (left, right) =>
        left.distance - right.distance || (left.candidate < right.candidate ? -1 : 1),
    )
    .slice(0, MOST)
    .map(({ candidate }) => candidate);
}

/** Counts the edits between two names; a missing server prefix counts as one edit. */
function distanceOf(left: string, right: string): number {
  if (right.endsWith(`__${left}`) || left.endsWith(`__${right}`)) return 1;
  return editDistance(left, right);
}
