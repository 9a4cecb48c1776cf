import { readExpectedFailures } from './expected-failures.ts';
import { readOutcomes, type Outcome } from './read-outcomes.ts';
import { readRequirementSet, type Leg, type Revision } from './requirement-set.ts';
import { runReferee, type Candidate } from './run-referee.ts';

export interface Score {
  readonly passed: number;
  readonly total: number;
}

/** The referee's judgement of one candidate by one revision. */
export interface Verdict {
  readonly leg: Leg;
  readonly revision: Revision;
  /** What the revision requires. */
  readonly required: Score;
  /** What the referee runs beside, but authorization. */
  readonly extra: Score;
  /** What is wrong and not in the file of expected failures, for people to read. */
  readonly problems: readonly string[];
}

/** Is judged when it is there. */
const AUTHORIZATION = 'auth/';

/** Runs all scenarios of a revision and counts. The folder must be new for each revision and leg. */
export async function judge(candidate: Candidate, revision: Revision, folder: string): Promise<Verdict> {
  const { leg } = candidate;
  const { scored, unscored } = readRequirementSet(revision, leg);
  const extra = unscored.filter((scenario) => !scenario.startsWith(AUTHORIZATION));
  const run = await runReferee(candidate, revision, folder);
  const outcomes = readOutcomes(run.results);
  const find = (scenario: string): Outcome => outcomes.get(scenario) ?? { scenario, complaints: ['the referee could not run it'] };
  const expected = new Set(readExpectedFailures(leg));

  const problems = [...scored, ...extra]
    .filter((scenario) => !expected.has(scenario))
    .map(find)
    .filter(({ complaints }) => complaints.length > 0)
    .map(({ scenario, complaints }) => `${scenario}\n${complaints.map((complaint) => `  ${complaint}`).join('\n')}`);
  for (const scenario of scored) {
    if (expected.has(scenario) && find(scenario).complaints.length === 0) problems.push(`${scenario}\n  passes and is still in the file of expected failures`);
  }
  const known = new Set([...scored, ...unscored]);
  for (const scenario of outcomes.keys()) if (!known.has(scenario)) problems.push(`${scenario}\n  is in no requirement set`);
  if (!run.isContent && problems.length === 0) problems.push(`the referee is not content\n${lastWords(run.output)}`);

  return { leg, revision, required: count(scored.map(find)), extra: count(extra.map(find)), problems };
}

function count(outcomes: readonly Outcome[]): Score {
  return { passed: outcomes.filter(({ complaints }) => complaints.length === 0).length, total: outcomes.length };
}

function lastWords(output: string): string {
  return output.trimEnd().split('\n').slice(-20).join('\n');
}
