import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const SCRIPT = `
import { registerHooks } from 'node:module';
const loaded = [];
registerHooks({ resolve(name, context, next) { if (name === 'openai' || name === '@anthropic-ai/sdk') loaded.push(name); return next(name, context); } });
const { createLlmProvider } = await import(process.argv[1]);
const config = { provider: process.argv[2], wire: process.argv[3] || undefined, model: 'm', baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'k', scenario: undefined };
setInterval(() => undefined, 1000); // the timers of a call keep no process alive
const provider = createLlmProvider(config, { random: () => 0, deadlineMs: 50 });
const atStart = [...loaded];
const stream = provider.stream({ messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }], tools: [], maxTokens: 9, purpose: 'agent' }, { signal: new AbortController().signal });
await stream.next().catch(() => undefined);
console.log(JSON.stringify({ atStart, loaded }));
process.exit();
`;

test.each([
  ['scripted', '', []],
  ['openai', 'responses', ['openai']],
  ['openai', 'chat', ['openai']],
  ['anthropic', 'messages', ['@anthropic-ai/sdk']],
])(
  '%s %s: the first call loads the SDK that it needs, and the start loads none',
  async (provider, wire, loaded) => {
    const file = join(import.meta.dirname, 'provider.ts');
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--conditions=@signalbox/source', '--input-type=module', '-e', SCRIPT, file, provider, wire],
      { timeout: 50_000 },
    );
    expect(JSON.parse(stdout)).toEqual({ atStart: [], loaded });
  },
);
