import { localCatalogue } from '../fleet/local-catalogue.ts';
import { expect, onTestFinished, test } from 'vitest';
import { createTestEdge } from '../http/testing.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { withInvalidServers } from './invalid-servers.ts';
import { FakeServer } from './testing/fake-server.ts';
import { poolOf, toolNamed } from './testing/pool-fixture.ts';

const problem =
  'mcpServers["My Key"].env.K: the environment variable NOPE is not set; set it, or write ${NOPE:-default}';

async function started() {
  const fixture = poolOf({ s: new FakeServer(toolNamed('read')) });
  const warnings: object[] = [];
  const quiet = () => undefined;
  const logger = {
    debug: quiet,
    info: quiet,
    error: quiet,
    warn: (_message: string, fields?: object) => void warnings.push(fields ?? {}),
  };
  const invalid = [
    { name: 'My-Key', configuredName: 'My Key', transport: 'stdio' as const, problems: [problem] },
  ];
  const registry = withInvalidServers(fixture.pool, () => invalid, {
    clock: new ManualClock(),
    logger,
  });
  registry.start();
  await registry.settled(1000);
  const edge = await createTestEdge(
    {},
    {},
    { catalogue: localCatalogue(registry), directory: registry },
  );
  onTestFinished(() => edge.close());
  const get = async (path: string) => {
    const response = await edge.app.inject({
      method: 'GET',
      url: `/v1/servers${path}`,
      headers: { host: 'localhost' },
    });
    return { status: response.statusCode, body: response.json<unknown>() };
  };
  return { registry, warnings, get };
}

test('an invalid server is listed with the reason beside the working servers', async () => {
  const { get } = await started();
  const listed = {
    name: 'My-Key',
    configured_name: 'My Key',
    state: 'invalid',
    health: 'down',
    tool_count: 0,
    error: problem,
  };
  expect(await get('')).toMatchObject({
    status: 200,
    body: { data: [{ name: 's', state: 'ready' }, listed] },
  });
  expect(await get('/My-Key')).toMatchObject({ status: 200, body: { ...listed, pins: [] } });
});

test('the features of an invalid server are unavailable, with the same reason', async () => {
  const { get } = await started();
  expect(await get('/My-Key/resources')).toMatchObject({
    status: 503,
    body: { code: 'server_unavailable', detail: `server My-Key is invalid: ${problem}` },
  });
});

test('an invalid server is logged at the start, and a call of its tool returns the reason to the model', async () => {
  const { registry, warnings } = await started();
  expect(warnings).toEqual([{ server: 'My Key', error: problem }]);
  expect(registry.whyNotOffered('My-Key__tool')).toBe(`server My-Key is invalid: ${problem}`);
  expect(registry.tools().map(({ wireName }) => wireName)).toEqual(['s__read']);
});
