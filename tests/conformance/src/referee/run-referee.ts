import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { referee } from '../../../peers/src/official-referee.ts';
import { expectedFailuresFile } from './expected-failures.ts';
import type { Revision } from './requirement-set.ts';

/** What is put to the test: a running server, or the command line of a client that gets the URL as its last argument. */
export type Candidate = { readonly leg: 'server'; readonly url: string } | { readonly leg: 'client'; readonly command: string };

export interface RefereeRun {
  /** Where the referee has written its results. */
  readonly results: string;
  readonly isContent: boolean;
  /** All that the referee has said. */
  readonly output: string;
}

/** Lets the referee judge a candidate by the requirements of a revision. Everything is written below `folder`. */
export async function runReferee(candidate: Candidate, revision: Revision, folder: string): Promise<RefereeRun> {
  const results = join(folder, `${candidate.leg}-${revision}`);
  const home = join(folder, 'home');
  mkdirSync(results);
  mkdirSync(home, { recursive: true });
  const subject = candidate.leg === 'server' ? ['--url', candidate.url] : ['--command', candidate.command];
  const child = spawn(
    process.execPath,
    [referee, candidate.leg, ...subject, '--requirements', revision, '--expected-failures', expectedFailuresFile, '-o', results],
    // No proxy of the caller's environment stands between the referee and this machine.
    { cwd: folder, env: { PATH: process.env['PATH'], HOME: home, TMPDIR: folder }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => output.push(text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  return { results, isContent: code === 0, output: output.join('') };
}
