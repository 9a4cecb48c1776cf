import { readFileSync } from 'node:fs';
import type * as z from 'zod';
import { ConfigError } from '../../config/config.ts';
import { messageOf } from '../../text/error-text.ts';
import { type Scenario, scenarioFileSchema, type Turn } from './scenario.ts';
import { parseTemplate } from './template.ts';

/** Loads a scenario file. @throws ConfigError with the file, the position and the problem */
export function loadScenarios(file: string): readonly Scenario[] {
  return parseScenarios(parseJson(readText(file), file), file);
}

/** Validates the contents of a scenario file. `source`: its name in errors. @throws ConfigError */
export function parseScenarios(contents: unknown, source: string): readonly Scenario[] {
  const parsed = scenarioFileSchema.safeParse(contents);
  const problems = parsed.success
    ? [...strayNames(parsed.data.scenarios)]
    : issueLines(parsed.error.issues);
  if (!parsed.success || problems.length > 0) {
    throw new ConfigError(
      `the scenario file ${source} cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    );
  }
  return parsed.data.scenarios;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw Object.assign(
      new ConfigError(`the scenario file ${file} cannot be read: ${messageOf(error)}`),
      { cause: error },
    );
  }
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw Object.assign(
      new ConfigError(`the scenario file ${file} is not JSON: ${messageOf(error)}`),
      { cause: error },
    );
  }
}

/** Returns the issues of the branch of a union that matched furthest. */
function issueLines(
  issues: readonly z.core.$ZodIssue[],
  prefix: readonly PropertyKey[] = [],
): string[] {
  return issues.flatMap((issue) => {
    const path = [...prefix, ...issue.path];
    if (issue.code === 'invalid_union' && issue.errors.length > 0) {
      const depth = (branch: readonly z.core.$ZodIssue[]): number =>
        Math.max(...branch.map((one) => (one.code === 'unrecognized_keys' ? -1 : one.path.length)));
      const best = issue.errors.toSorted((a, b) => depth(b) - depth(a))[0];
      if (best !== undefined && best.length > 0) return issueLines(best, path);
    }
    return [`${pathText(path)}: ${issue.message}`];
  });
}

function pathText(path: readonly PropertyKey[]): string {
  const text = path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('');
  return text === '' ? '(top)' : text.replace(/^\./, '');
}

/** Yields names in templates and conditions that no call of the scenario has. */
function* strayNames(scenarios: readonly Scenario[]): Generator<string> {
  for (const [at, scenario] of scenarios.entries()) {
    if (scenarios.findIndex(({ name }) => name === scenario.name) !== at)
      yield `scenarios[${at}].name: "${scenario.name}" is taken by an earlier scenario`;
    const known = new Set(
      scenario.turns.flatMap(({ emit }) =>
        emit.flatMap((one) => ('tool' in one ? [one.tool, one.label ?? one.tool] : [])),
      ),
    );
    for (const [turnAt, turn] of scenario.turns.entries()) {
      for (const name of strangers(turn, known))
        yield `scenarios[${at}].turns[${turnAt}]: no call of the scenario has the wire name or label "${name}"`;
    }
  }
}

function strangers(turn: Turn, known: ReadonlySet<string>): string[] {
  return [...namesIn(turn)].filter((name) => !known.has(name));
}

function namesIn(turn: Turn): Set<string> {
  const names = new Set<string>(turn.when.toolResult === undefined ? [] : [turn.when.toolResult]);
  const visit = (value: unknown): void => {
    if (typeof value === 'string') for (const name of resultNames(value)) names.add(name);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(visit);
  };
  visit(turn.emit);
  return names;
}

function resultNames(text: string): string[] {
  const parsed = parseTemplate(text);
  return parsed.ok
    ? parsed.parts.flatMap((part) =>
        typeof part === 'object' && part.root === 'result' ? [part.call] : [],
      )
    : [];
}
