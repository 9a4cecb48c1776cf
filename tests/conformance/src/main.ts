import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFixture } from './bundle-fixture.ts';
import { clientCommand } from './client-command.ts';
import { judge, type Score, type Verdict } from './referee/judge.ts';
import { REVISIONS } from './referee/requirement-set.ts';
import { startServer } from './start-server.ts';

/**
 * Judges server and client by both revisions. Prints problems to stderr and the counts as the last
 * line of stdout.
 */
async function main(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-conformance-'));
  try {
    const verdicts = [...(await judgeServer(folder)), ...(await judgeClient(folder))];
    for (const { leg, revision, problems, repeated } of verdicts) {
      if (repeated.length > 0)
        process.stderr.write(`\n${leg} ${revision}: run twice: ${repeated.join(', ')}\n`);
      for (const problem of problems) process.stderr.write(`\n${leg} ${revision}: ${problem}\n`);
    }
    process.stdout.write(`${lineOf(verdicts)}\n`);
    return verdicts.every(({ problems }) => problems.length === 0);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function judgeServer(folder: string): Promise<readonly Verdict[]> {
  const server = await startServer(await bundleFixture('server', folder));
  try {
    return await Promise.all(
      REVISIONS.map((revision) => judge({ leg: 'server', url: server.url }, revision, folder)),
    );
  } finally {
    await server.stop();
  }
}

async function judgeClient(folder: string): Promise<readonly Verdict[]> {
  const command = clientCommand(await bundleFixture('client', folder));
  const verdicts: Verdict[] = [];
  for (const revision of REVISIONS)
    verdicts.push(await judge({ leg: 'client', command }, revision, folder));
  return verdicts;
}

function lineOf(verdicts: readonly Verdict[]): string {
  const required = (leg: Verdict['leg']): string =>
    verdicts
      .filter((verdict) => verdict.leg === leg)
      .map((verdict) => told(verdict.required))
      .join(' ');
  const extra = verdicts.reduce(
    (sum, verdict) => ({
      passed: sum.passed + verdict.extra.passed,
      total: sum.total + verdict.extra.total,
    }),
    {
      passed: 0,
      total: 0,
    },
  );
  return `conformance: server ${required('server')} client ${required('client')} extra ${told(extra)}`;
}

function told({ passed, total }: Score): string {
  return `${String(passed)}/${String(total)}`;
}

process.exitCode = (await main()) ? 0 : 1;
