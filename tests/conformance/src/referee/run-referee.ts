import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { referee } from '../../../peers/src/official-referee.ts';
import type { Revision } from './requirement-set.ts';

/**
 * The tested program: a running server, or the command line of a client that gets the URL as its
 * last argument.
 */
export type Candidate =
  | { readonly leg: 'server'; readonly url: string }
  | { readonly leg: 'client'; readonly command: string };

export interface RefereeRun {
  /** Folder of the referee's results. */
  readonly results: string;
  readonly isContent: boolean;
  /** The referee's whole output. */
  readonly output: string;
}

/**
 * Runs the referee on a candidate: all scenarios of a revision and more, or one scenario alone.
 * Writes only below `folder`.
 */
export type RunReferee = (
  candidate: Candidate,
  selection: { readonly revision: Revision; readonly scenario?: string },
  folder: string,
) => Promise<RefereeRun>;

export const runReferee: RunReferee = (candidate, { revision, scenario }, folder) =>
  scenario === undefined
    ? run(candidate, ['--requirements', revision], join(folder, `${candidate.leg}-${revision}`))
    : run(
        candidate,
        ['--scenario', scenario, '--spec-version', revision, '--force'],
        join(folder, `${candidate.leg}-${revision}-${scenario.replaceAll('/', '-')}`),
      );

async function run(
  candidate: Candidate,
  selection: readonly string[],
  results: string,
): Promise<RefereeRun> {
  const home = join(results, 'home');
  mkdirSync(home, { recursive: true });
  const subject =
    candidate.leg === 'server' ? ['--url', candidate.url] : ['--command', candidate.command];
  const child = spawn(
    process.execPath,
    [referee, candidate.leg, ...subject, ...selection, '-o', results],
    {
      cwd: home,
      // No proxy of the caller's environment may stand between the referee and this machine.
      env: {
        PATH: process.env['PATH'],
        HOME: home,
        TMPDIR: home,
        // The referee and the clients are compiled once for all of their starts.
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => output.push(text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  return { results, isContent: code === 0, output: output.join('') };
}
