import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, isStepCount } from 'ai';
import { serveRuns, settings } from '../../../bench/src/agents/serve-runs.mjs';

const client = await createMCPClient({ transport: new StdioTransport(settings.server) });
const tools = await client.tools();
const model = createOpenAI({ apiKey: 'k', baseURL: settings.modelUrl }).chat('fake');

serveRuns(
  (prompt) => generateText({ model, tools, prompt, stopWhen: isStepCount(settings.steps) }),
  () => client.close(),
);
