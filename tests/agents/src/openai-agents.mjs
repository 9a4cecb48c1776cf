import { Agent, MCPServerStdio, OpenAIProvider, Runner } from '@openai/agents';
import { serveRuns, settings } from '../../../bench/src/agents/serve-runs.mjs';

const server = new MCPServerStdio({ ...settings.server, cacheToolsList: true });
await server.connect();
const agent = new Agent({ name: 'bench', model: 'fake', mcpServers: [server] });
const runner = new Runner({
  modelProvider: new OpenAIProvider({
    apiKey: 'k',
    baseURL: settings.modelUrl,
    useResponses: false,
  }),
  tracingDisabled: true,
});

serveRuns(
  (prompt) => runner.run(agent, prompt, { maxTurns: settings.steps }),
  () => server.close(),
);
