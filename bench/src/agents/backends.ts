import { startProgram, type Backend } from './backend.ts';
import { startSignalbox } from './signalbox-backend.ts';

const FLOOR = new URL('floor.ts', import.meta.url);

/** The programs of the other libraries, which `tests/agents` installs. */
function peer(name: string): URL {
  return new URL(`../../../tests/agents/src/${name}.mjs`, import.meta.url);
}

export const floor: Backend = {
  name: 'floor',
  storage: 'none',
  start: (options) => startProgram(FLOOR, options),
};

export const signalbox: Backend = { name: 'Signalbox', storage: 'SQLite', start: startSignalbox };

/** Every backend of the comparison, in the order of the table. */
export const backends: readonly Backend[] = [
  floor,
  {
    name: 'AI SDK',
    storage: 'none',
    start: (options) => startProgram(peer('ai-sdk'), options),
  },
  {
    name: 'OpenAI Agents',
    storage: 'none',
    start: (options) => startProgram(peer('openai-agents'), options),
  },
  {
    name: 'LangGraph',
    storage: 'SQLite',
    start: (options) => startProgram(peer('langgraph'), options),
  },
  {
    name: 'Mastra',
    storage: 'libSQL',
    start: (options) => startProgram(peer('mastra'), options),
  },
  {
    name: 'Mastra, durable',
    storage: 'libSQL',
    isSlow: true,
    start: (options) => startProgram(peer('mastra'), options, ['--durable']),
  },
  signalbox,
];
