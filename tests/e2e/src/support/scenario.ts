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

/** The reply to a sampling request whose text contains `asked`. */
interface SamplingReply {
  readonly asked: string;
  readonly text: string;
}

/**
 * Writes a scenario file for the scripted provider; returns its path. A sampling request with "six
 * times seven" is answered with "forty-two", others as in `replies`.
 */
export async function writeScenario(
  folder: string,
  scripts: readonly Script[],
  replies: readonly SamplingReply[] = [],
): Promise<string> {
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
    turns: [{ asked: 'six times seven', text: 'forty-two' }, ...replies].map(({ asked, text }) => ({
      when: { lastUser: asked, purpose: 'sampling' },
      emit: [{ text }],
    })),
  };
  await writeFile(file, JSON.stringify({ version: 1, scenarios: [...scenarios, sampling] }));
  return file;
}
