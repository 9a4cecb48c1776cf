import { join } from 'node:path';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { ChatOpenAI } from '@langchain/openai';
import { serveRuns, settings } from '../../../bench/src/agents/serve-runs.mjs';

const client = new MultiServerMCPClient({ echo: { transport: 'stdio', ...settings.server } });
const agent = createReactAgent({
  llm: new ChatOpenAI({
    model: 'fake',
    apiKey: 'k',
    configuration: { baseURL: settings.modelUrl },
  }),
  tools: await client.getTools(),
  checkpointer: SqliteSaver.fromConnString(join(settings.folder, 'langgraph.sqlite')),
});

serveRuns(
  (prompt) =>
    agent.invoke(
      { messages: [{ role: 'user', content: prompt }] },
      { configurable: { thread_id: prompt }, recursionLimit: 2 * settings.steps + 1 },
    ),
  () => client.close(),
);
