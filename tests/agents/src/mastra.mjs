import { join } from 'node:path';
import { createOpenAI } from '@ai-sdk/openai';
import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { createDurableAgent } from '@mastra/core/agent/durable';
import { LibSQLStore } from '@mastra/libsql';
import { MCPClient } from '@mastra/mcp';
import { Memory } from '@mastra/memory';
import { serveRuns, settings } from '../../../bench/src/agents/serve-runs.mjs';

const isDurable = process.argv.includes('--durable');
const storage = new LibSQLStore({
  id: 'bench',
  url: `file:${join(settings.folder, 'mastra.sqlite')}`,
});
const client = new MCPClient({ id: 'bench', servers: { echo: settings.server } });
const plain = new Agent({
  id: 'bench',
  name: 'bench',
  instructions: 'Use the tools.',
  model: createOpenAI({ apiKey: 'k', baseURL: settings.modelUrl }).chat('fake'),
  tools: await client.listTools(),
  memory: new Memory({ storage }),
});
const agent = isDurable ? createDurableAgent({ agent: plain, maxSteps: settings.steps }) : plain;
const mastra = new Mastra({
  agents: { bench: agent },
  storage,
  logger: false,
  ...(isDurable ? { recovery: { durableAgents: 'auto' } } : {}),
});

serveRuns(
  async (prompt) => {
    const options = { maxSteps: settings.steps, memory: { thread: prompt, resource: 'bench' } };
    if (!isDurable) return agent.generate(prompt, options);
    const { output, cleanup } = await agent.stream(prompt, options);
    const text = await output.text;
    cleanup();
    return text;
  },
  () => client.disconnect(),
);
// The server that Mastra generates does this at its start.
if (isDurable) await mastra.recoverAllDurableAgents();
