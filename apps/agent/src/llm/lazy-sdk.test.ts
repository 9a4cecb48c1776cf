import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const SCRIPT = `
import { registerHooks } from 'node:module';
const loaded = [];
registerHooks({ resolve(name, context, next) { const [sdk] = /^(openai|@anthropic-ai\\/sdk)(?=$|\\/)/.exec(name) ?? []; if (sdk) loaded.push(sdk); return next(name, context); } });
const { createLlmProvider } = await import(process.argv[1]);
const config = { provider: process.argv[2], wire: process.argv[3] || undefined, model: 'm', baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'k', scenario: undefined };
setInterval(() => undefined, 1000); // the timers of a call keep no process alive
const provider = createLlmProvider(config, { random: () => 0, deadlineMs: 50 });
const atStart = [...loaded];
const cpuUsage = process.threadCpuUsage ?? process.cpuUsage;
let longest = 0, whole = 0, before = cpuUsage(), isOver = false;
const look = () => {
  const { user, system } = cpuUsage(before);
  before = cpuUsage();
  longest = Math.max(longest, user + system);
  whole += user + system;
  if (!isOver) setImmediate(look);
};
setImmediate(look);
const stream = provider.stream({ messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }], tools: [], maxTokens: 9, purpose: 'agent' }, { signal: new AbortController().signal });
await stream.next().catch(() => undefined);
isOver = true;
look();
console.log(JSON.stringify({ atStart, loaded: [...new Set(loaded)], longestShare: longest / Math.max(whole, 1) }));
process.exit();
`;

test.each([
  ['scripted', '', []],
  ['openai', 'responses', ['openai']],
  ['openai', 'chat', ['openai']],
  ['anthropic', 'messages', ['@anthropic-ai/sdk']],
])(
  '%s %s: the first call loads its SDK in short turns of the event loop, and the start loads no SDK',
  async (provider, wire, loaded) => {
    const file = join(import.meta.dirname, 'provider.ts');
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--conditions=@signalbox/source', '--input-type=module', '-e', SCRIPT, file, provider, wire],
      { timeout: 150_000 },
    );
    const { longestShare, ...names } = JSON.parse(stdout) as { readonly longestShare: number };
    expect(names).toEqual({ atStart: [], loaded });
    // Importing an SDK at once takes a single turn of the event loop.
    expect(longestShare).toBeLessThan(loaded.length === 0 ? Infinity : 0.75);
  },
);
