const SLOWEST = 3;

/**
 * Returns the line of `npm test` with its whole time and the projects that took longest, from the JSON reports of vitest by project.
 * A report from before the start came out of the cache and took no time.
 */
export function timesOf(reports, { startedAt, endedAt }) {
  const times = [...reports]
    .filter(([, report]) => report.startTime >= startedAt)
    .map(([name, { startTime, testResults }]) => ({
      name,
      ms: Math.max(0, ...testResults.map(({ endTime }) => endTime - startTime)),
    }))
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, SLOWEST)
    .map(({ name, ms }) => `${name} ${seconds(ms)}`);
  const slowest = times.length === 0 ? '' : `; slowest: ${times.join(', ')}`;
  return `${seconds(endedAt - startedAt)} in all${slowest}`;
}

const seconds = (ms) => `${Math.round(ms / 1000)} s`;
