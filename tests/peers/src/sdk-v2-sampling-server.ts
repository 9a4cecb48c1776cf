// A server on the official SDK v2, over stdio. Its tool samples its argument and returns the
// result.
import {
  inputRequired,
  McpServer,
  type CallToolResult,
  type InputRequiredResult,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

type Params = Parameters<typeof inputRequired.createMessage>[0];

serveStdio(() => {
  const server = new McpServer({ name: 'sdk-v2-sampling', version: '1.0.0' });
  server.registerTool(
    'sample',
    { description: 'Asks the model.', inputSchema: z.object({ params: z.string() }) },
    ({ params }, { mcpReq: { inputResponses } }): CallToolResult | InputRequiredResult => {
      // Any value that a test passes; the client must reject invalid ones.
      if (inputResponses === undefined)
        return inputRequired({
          inputRequests: { question: inputRequired.createMessage(JSON.parse(params) as Params) },
        });
      return { content: [{ type: 'text', text: JSON.stringify(inputResponses['question']) }] };
    },
  );
  return server;
});
