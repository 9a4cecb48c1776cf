import { expect, test } from 'vitest';
import { CLOCK_URI } from './world.ts';
import { connectImpatiently } from './spawning.ts';

// A slow server finds both server/discover and initialize in its input. A server on SDK v2 responds
// to both and is then legacy only.
test.each(['ours', 'v1', 'v2'] as const)(
  'our client understands a server that is slow to start: %s',
  async (server) => {
    const face = await connectImpatiently(server);
    expect(face.server).toMatchObject({ version: '2025-11-25', info: { name: server } });
    await face.ping();
    expect(await face.callTool('ask_all')).not.toHaveProperty('isError', true);
    const stop = await face.watch(CLOCK_URI, () => undefined);
    await stop();
    await face.close();
  },
);
