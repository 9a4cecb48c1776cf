import { connectClient } from '@signalbox/mcp-core/client';

const info = { name: 'bench', version: '1.0.0' };

const face = (client) => ({
  listTools: () => client.listTools(),
  callTool: (name, args) => client.callTool(name, args),
  callToolWithProgress: (name, args, onProgress) => client.callTool(name, args, { onProgress, timeoutMs: 600_000 }),
  close: () => client.close(),
});

/** `auto` in the modern era, as SDK v2 negotiates there; its default, legacy, in the other. */
const policy = (era) => ({ info, era: era === 'modern' ? 'auto' : 'legacy' });

export async function connectStdio({ command, args, env, era }) {
  const { spawnStdio } = await import('@signalbox/mcp-core/stdio');
  return face(await connectClient(() => spawnStdio({ command, args, env: { ...process.env, ...env } }), policy(era)));
}

export async function connectHttp({ port, era }) {
  const { httpTransport } = await import('@signalbox/mcp-core/http-client');
  return face(await connectClient(() => httpTransport({ url: `http://127.0.0.1:${port}/mcp` }), policy(era)));
}
