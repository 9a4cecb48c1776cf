import { editDistance } from './edit-distance.ts';

/** Longer names are not compared: the time grows with the length. */
const MAX_LENGTH = 100;

/** Returns the candidate closest to `name` in any case, or undefined if none is close. */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.ceil(name.length * 0.4)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}
