import { connectClient } from '@signalbox/mcp-core/client';

/**
 * @typedef {{ command: string, args: readonly string[], env: NodeJS.ProcessEnv, era: string }} StdioServer
 * @typedef {import('@signalbox/mcp-core/client').Client} Client
 */

const info = { name: 'bench', version: '1.0.0' };

/** `auto` in the modern era, in which SDK v2 negotiates; otherwise its default, legacy. @param {string} era */
const policy = (era) => /** @type {const} */ ({ info, era: era === 'modern' ? 'auto' : 'legacy' });

/** @param {Client} client */
const face = (client) => ({
  listTools: () => client.listTools(),
  callTool: (/** @type {string} */ name, /** @type {object} */ args) =>
    client.callTool(name, { ...args }),
  callToolWithProgress: (
    /** @type {string} */ name,
    /** @type {object} */ args,
    /** @type {() => void} */ onProgress,
  ) => client.callTool(name, { ...args }, { onProgress, timeoutMs: 600_000 }),
  close: () => client.close(),
});

/** @param {StdioServer} server */
export async function connectStdio({ command, args, env, era }) {
  const { spawnStdio } = await import('@signalbox/mcp-core/stdio');
  // Values of an environment are strings or absent.
  const environment = /** @type {Record<string, string>} */ ({ ...process.env, ...env });
  return face(
    await connectClient(() => spawnStdio({ command, args, env: environment }), policy(era)),
  );
}

/** @param {{ port: number, era: string }} server */
export async function connectHttp({ port, era }) {
  const { httpTransport } = await import('@signalbox/mcp-core/http/client');
  return face(
    await connectClient(
      () => httpTransport({ url: `http://127.0.0.1:${String(port)}/mcp` }),
      policy(era),
    ),
  );
}
