import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleFixture } from './bundle-fixture.ts';
import { clientCommand } from './client-command.ts';
import { judge, type Verdict } from './referee/judge.ts';
import { REVISIONS } from './referee/requirement-set.ts';
import { startServer, type RunningServer } from './start-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'conformance with a space-'));

/**
 * The referee gives each scenario 30 seconds and runs the scenarios of a server one after the
 * other.
 */
const LIMIT_MS = 300_000;

/** Makes `npm test` list at its end the scenarios that passed only in a second run. */
function noteRepeated(meta: object, repeated: Verdict['repeated']): void {
  if (repeated.length > 0)
    Object.assign(meta, { note: `scenarios that were run twice: ${repeated.join(', ')}` });
}

describe.concurrent('the server', () => {
  let server: RunningServer;

  beforeAll(async () => {
    server = await startServer(await bundleFixture('server', folder));
  });

  afterAll(() => server.stop());

  test.for(REVISIONS)(
    'meets %s, and the other scenarios of the referee',
    { timeout: LIMIT_MS },
    async (revision, { task }) => {
      const { problems, required, extra, repeated } = await judge(
        { leg: 'server', url: server.url },
        revision,
        folder,
      );
      noteRepeated(task.meta, repeated);
      expect(problems).toEqual([]);
      expect(required.passed).toBe(required.total);
      expect(extra.passed).toBe(extra.total);
    },
  );
});

describe('the client', () => {
  let command: string;

  beforeAll(async () => {
    command = clientCommand(await bundleFixture('client', folder));
  });

  test.for(REVISIONS)('meets %s', { timeout: LIMIT_MS }, async (revision, { task }) => {
    const { problems, required, extra, repeated } = await judge(
      { leg: 'client', command },
      revision,
      folder,
    );
    noteRepeated(task.meta, repeated);
    expect(problems).toEqual([]);
    expect(required.passed).toBe(required.total);
    expect(extra.passed).toBe(extra.total);
  });
});
