import { expect, onTestFinished, test } from 'vitest';
import { NotConnectedHereError, type ServerFeatures } from '../ports/server-directory.ts';
import { createTestEdge } from './testing.ts';

test('a process without connections refuses to stream changes with 501, and the refusal takes no stream', async () => {
  const features: Partial<ServerFeatures> = {
    changes: () => {
      throw new NotConnectedHereError('only workers are connected to the server broken');
    },
  };
  const edge = await createTestEdge(
    { admission: { streams: 1 } },
    {},
    { directory: { server: () => features as ServerFeatures, control: () => undefined } },
  );
  onTestFinished(() => edge.close());
  for (const time of ['first', 'second']) {
    const response = await edge.app.inject({
      url: '/v1/servers/broken/changes',
      headers: { host: '127.0.0.1:8020' },
    });
    expect([time, response.statusCode, response.json<{ code: string }>().code]).toEqual([
      time,
      501,
      'not_connected_here',
    ]);
  }
});
