import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Call {
  readonly tool: string;
  readonly input?: object;
  readonly label?: string;
}

interface Script {
  readonly prompt: string;
  /** Each step is one turn: its calls are made together. */
  readonly steps: readonly (readonly Call[])[];
  readonly answer: string;
}

/** Writes a scenario file for the scripted provider; returns its path. Sampling requests are answered with "forty-two". */
export async function writeScenario(folder: string, scripts: readonly Script[]): Promise<string> {
  const file = join(folder, 'scenario.json');
  const scenarios = scripts.map(({ prompt, steps, answer }, index) => ({
    name: `script-${index + 1}`,
    title: prompt,
    prompt,
    turns: [
      ...steps.map((calls, step) => ({
        when: { lastUser: `^${prompt}$`, turn: step + 1 },
        emit: calls,
      })),
      { when: { lastUser: `^${prompt}$`, turn: steps.length + 1 }, emit: [{ text: answer }] },
      {
        when: { toolError: true },
        emit: [{ text: 'The tool ${error.tool} failed: ${error.text}' }],
      },
    ],
  }));
  const sampling = {
    name: 'sampling',
    title: 'a question of a server',
    prompt: 'six times seven',
    turns: [
      { when: { lastUser: 'six times seven', purpose: 'sampling' }, emit: [{ text: 'forty-two' }] },
    ],
  };
  await writeFile(file, JSON.stringify({ version: 1, scenarios: [...scenarios, sampling] }));
  return file;
}
