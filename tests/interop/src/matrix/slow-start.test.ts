import { expect, test } from 'vitest';
import { CLOCK_URI } from './world.ts';
import { connectImpatiently } from './spawning.ts';

// Such a server finds both server/discover and initialize in its input. One on SDK v2 answers both and speaks only the legacy era from then on.
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
