import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Seeded } from './seeded.ts';

const TOOLS = ['append', 'append', 'set', 'look'] as const;

export interface Work {
  /** Model calls of each run; all but the last call a tool. */
  readonly turns: number;
  /** Milliseconds of each model call, and maximum delay of a tool before and after its effect. */
  readonly paceMs: number;
  readonly random: Seeded;
}

/** Writes the scenario of the runs, whose prompts are `work r1`, `work r2` and so on. */
export async function writeWork(folder: string, { turns, paceMs, random }: Work): Promise<void> {
  const lastUser = '^work (r\\d+)$';
  const steps = Array.from({ length: turns - 1 }, (_, index) => ({
    when: { lastUser, turn: index + 1 },
    emit: [
      { text: `Turn ${index + 1}.` },
      {
        tool: `effects__${TOOLS[index % TOOLS.length]}`,
        label: `turn-${index + 1}`,
        input: { run: '${1}', turn: index + 1, ms: random.between(Math.ceil(paceMs / 4), paceMs) },
      },
    ],
  }));
  const scenario = {
    name: 'work',
    title: 'work',
    prompt: 'work r1',
    pace: { ttftMs: paceMs },
    turns: [
      ...steps,
      { when: { lastUser, turn: turns }, emit: [{ text: 'done ${1}' }] },
      { when: { toolError: true }, emit: [{ text: '${error.text}' }] },
    ],
  };
  await writeFile(
    join(folder, 'scenario.json'),
    JSON.stringify({ version: 1, scenarios: [scenario] }),
  );
}
