import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { echoServer } from './service.ts';

export interface Work {
  /** Turns of one model call with its tool calls; one more turn gives the answer. */
  readonly turns: number;
  /** Calls of `echo` in each turn. */
  readonly callsPerTurn: number;
  /** Whether the first calls wait for an approval. Default false. */
  readonly asks?: boolean;
}

export const PROMPT = 'work';

/** Returns the configuration of a service whose scripted model works without pauses, with one server that has an `echo` tool. */
export async function configFor(
  folder: string,
  { turns, callsPerTurn, asks = false }: Work,
): Promise<object> {
  const scenario = join(folder, 'scenario.json');
  const call = {
    tool: 'echo__echo',
    input: { text: 'the quick brown fox jumps over the lazy dog' },
  };
  const calling = Array.from({ length: turns }, (_, index) => ({
    when: { turn: index + 1 },
    emit: [{ text: 'I say it again.' }, ...Array.from({ length: callsPerTurn }, () => call)],
  }));
  const answering = { when: { turn: turns + 1 }, emit: [{ text: 'All of it was said again.' }] };
  await writeFile(
    scenario,
    JSON.stringify({
      version: 1,
      scenarios: [{ name: 'work', title: 'Work', prompt: PROMPT, turns: [...calling, answering] }],
    }),
  );
  return {
    llm: { provider: 'scripted', scenario },
    mcpServers: {
      echo: { ...echoServer, signalbox: { trust: true, approval: asks ? 'ask' : 'auto' } },
    },
  };
}

/** Limits of a run that allow all the work. */
export function limitsFor({ turns, callsPerTurn }: Work): object {
  return { turns: turns + 1, tool_calls: turns * callsPerTurn };
}
