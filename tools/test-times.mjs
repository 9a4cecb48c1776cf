const SLOWEST = 3;

/**
 * Returns the line of `npm test` with its whole time and the projects that took longest, by the time of their test files added up.
 * `files` are the test results of vitest's JSON reports by project.
 */
export function timesOf(files, { startedAt, endedAt }) {
  const times = [...files]
    .map(([name, results]) => ({
      name,
      ms: results.reduce((sum, { startTime, endTime }) => sum + endTime - startTime, 0),
    }))
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, SLOWEST)
    .map(({ name, ms }) => `${name} ${seconds(ms)}`);
  const slowest = times.length === 0 ? '' : `; slowest: ${times.join(', ')}`;
  return `${seconds(endedAt - startedAt)} in all${slowest}`;
}

const seconds = (ms) => `${Math.round(ms / 1000)} s`;
