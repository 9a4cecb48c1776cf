// A server on the official SDK v2, over stdio. Its tools request a form, a visit to a URL, and
// sampling. Each finished call appends a line to the file in the argument.
import { appendFileSync } from 'node:fs';
import {
  inputRequired,
  McpServer,
  type CallToolResult,
  type InputRequest,
  type InputRequiredResult,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

interface Answer {
  readonly action?: string;
  readonly content?: { readonly name?: string; readonly text?: string };
}

const [, , ledger = ''] = process.argv;

serveStdio(() => {
  const server = new McpServer({ name: 'sdk-v2-asking', version: '1.0.0' });
  const asking = (name: string, question: InputRequest, show: (answer: Answer) => string): void => {
    server.registerTool(
      name,
      { description: `Asks: ${name}.` },
      ({ mcpReq: { inputResponses } }): CallToolResult | InputRequiredResult => {
        if (inputResponses === undefined) return inputRequired({ inputRequests: { question } });
        // The SDK has checked the response.
        const text = show(inputResponses['question'] as Answer);
        appendFileSync(ledger, `${text}\n`);
        return { content: [{ type: 'text', text }] };
      },
    );
  };
  const form = {
    type: 'object' as const,
    properties: { name: { type: 'string' as const, minLength: 2 } },
    required: ['name'],
  };
  asking(
    'greet',
    inputRequired.elicit({ message: 'Who are you?', requestedSchema: form }),
    ({ action, content }) => `${action} ${content?.name}`,
  );
  asking(
    'visit',
    inputRequired.elicitUrl({
      message: 'Please sign in',
      url: 'https://example.org/sign-in?state=1',
    }),
    ({ action }) => String(action),
  );
  const thought = {
    messages: [
      {
        role: 'user' as const,
        content: { type: 'text' as const, text: 'What is six times seven?' },
      },
    ],
    maxTokens: 100,
  };
  asking(
    'think',
    inputRequired.createMessage(thought),
    ({ content }) => `thought ${content?.text}`,
  );
  return server;
});
