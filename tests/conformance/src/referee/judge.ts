import { readOutcomes, type Outcome } from './read-outcomes.ts';
import { readRequirementSet, type Leg, type Revision } from './requirement-set.ts';
import { runReferee, type Candidate, type RunReferee } from './run-referee.ts';

export interface Score {
  readonly passed: number;
  readonly total: number;
}

/** The referee's judgment of a candidate by a revision. */
export interface Verdict {
  readonly leg: Leg;
  readonly revision: Revision;
  /** Score of the scenarios that the revision requires. */
  readonly required: Score;
  /** Score of the referee's other scenarios. */
  readonly extra: Score;
  /** Failures, as text for people. */
  readonly problems: readonly string[];
  /** Scenarios that were run again. */
  readonly repeated: readonly string[];
}

/** Replacements for tests. */
export interface JudgeOptions {
  readonly ask?: RunReferee;
}

/**
 * The referee starts all clients at once and measures time, so up to this number of failures may be
 * due to a busy machine.
 */
const MAX_REPEATED = 3;

/**
 * Runs all scenarios of a revision and counts them; a few failures are run once more, alone. An
 * error exit of the referee is a separate problem unless its named scenarios explain it. The folder
 * must be new for each revision and leg.
 */
export async function judge(
  candidate: Candidate,
  revision: Revision,
  folder: string,
  { ask = runReferee }: JudgeOptions = {},
): Promise<Verdict> {
  const { leg } = candidate;
  const { scored, unscored: extra } = readRequirementSet(revision, leg);
  const run = await ask(candidate, { revision }, folder);
  const outcomes = new Map(readOutcomes(run.results));

  const all = [...scored, ...extra];
  const failed = all.filter((scenario) => !passed(outcomes.get(scenario)));
  const repeated = failed.length > MAX_REPEATED ? [] : failed;
  for (const scenario of repeated) {
    const again = await ask(candidate, { revision, scenario }, folder);
    for (const [name, outcome] of readOutcomes(again.results)) outcomes.set(name, outcome);
  }

  const problems = failed
    .filter((scenario) => !passed(outcomes.get(scenario)))
    .map((scenario) => describe(scenario, outcomes.get(scenario)));
  const known = new Set(all);
  problems.push(
    ...[...outcomes.keys()]
      .filter((scenario) => !known.has(scenario))
      .map((scenario) => `${scenario}\n  is in no requirement set`),
  );
  if (!run.isContent && !isExplained(run.output, failed))
    problems.push(`the referee is not content\n${lastWords(run.output)}`);

  const score = (scenarios: readonly string[]): Score => ({
    passed: scenarios.filter((scenario) => passed(outcomes.get(scenario))).length,
    total: scenarios.length,
  });
  return { leg, revision, required: score(scored), extra: score(extra), problems, repeated };
}

/**
 * Whether the referee names the scenarios that it rejects, and all of them are known to have failed.
 */
function isExplained(output: string, known: readonly string[]): boolean {
  const named = [...output.matchAll(/^ {2}[✗✓] ([^\s:]+)/gmu)].map(([, scenario = '']) => scenario);
  return named.length > 0 && named.every((scenario) => known.includes(scenario));
}

function passed(outcome: Outcome | undefined): boolean {
  return outcome?.complaints.length === 0;
}

function describe(scenario: string, outcome: Outcome | undefined): string {
  return [
    scenario,
    ...(outcome?.complaints ?? ['the referee could not run it']).map(
      (complaint) => `  ${complaint}`,
    ),
  ].join('\n');
}

function lastWords(output: string): string {
  return output.trimEnd().split('\n').slice(-20).join('\n');
}
