// A loop of model and tool calls written by hand, without a library and without storage.
import { spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import { FloorConnection } from '../floor/connection.ts';
import { serveRuns, settings } from './serve-runs.mjs';

interface Message {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
}

const child = spawn(settings.server.command, settings.server.args, {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const server = new FloorConnection(child, 'modern');
await server.open();
const listed = (await server.request('tools/list', {})).tools as readonly {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
}[];
const tools = listed.map(({ name, description, inputSchema }) => ({
  type: 'function',
  function: { name, description, parameters: inputSchema },
}));
const agent = new Agent({ keepAlive: true });
const target = new URL(`${settings.modelUrl}/chat/completions`);

serveRuns(runAgent, () => {
  child.stdin.end();
  return Promise.resolve();
});

async function runAgent(prompt: string): Promise<void> {
  const messages: Message[] = [{ role: 'user', content: prompt }];
  for (let step = 0; step < settings.steps; step += 1) {
    const message = await complete({ model: 'fake', messages, tools });
    messages.push(message);
    if (message.tool_calls === undefined) return;
    for (const call of message.tool_calls) {
      const { content } = await server.request('tools/call', {
        name: call.function.name,
        arguments: JSON.parse(call.function.arguments) as object,
      });
      const [first] = content as readonly { readonly text: string }[];
      messages.push({ role: 'tool', tool_call_id: call.id, content: first?.text ?? '' });
    }
  }
  throw new Error('The run made all its model calls without a last answer');
}

function complete(body: object): Promise<Message> {
  const text = JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = request(
      target,
      {
        agent,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
      },
      (response) => {
        let answer = '';
        response.setEncoding('utf8');
        response.on('data', (piece: string) => {
          answer += piece;
        });
        response.on('end', () => {
          const { choices } = JSON.parse(answer) as { choices: [{ message: Message }] };
          resolve(choices[0].message);
        });
      },
    );
    sent.on('error', reject);
    sent.end(text);
  });
}
