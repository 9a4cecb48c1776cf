import { join } from 'node:path';
import type { ServerDirectory } from '../../../ports/server-directory.ts';
import type { ToolDispatcher } from '../../../ports/tool-dispatcher.ts';
import { systemClock } from '../../../system/system-clock.ts';
import { sharedChecks } from '../../../schema/testing/shared-checks.ts';
import { isRemote } from '../../../config/config.ts';
import { connectStdioServer } from '../../connect-stdio-server.ts';
import type { Reaper } from '../../reaper.ts';
import { createServerPool } from '../../server-pool.ts';
import { compileCache, recordingLogger, serverConfig } from '../pool-fixture.ts';

/** Environment variable that marks the processes of a server. */
export const LEAK_VARIABLE = 'SIGNALBOX_LEAK_PROOF';

export interface LeakyPool {
  /** Marks, one for each server. */
  readonly marks: readonly string[];
  readonly traits: readonly string[];
  /** Whether the reaper is active. Without it kill -9 must leak. Default: true. */
  readonly isReaped?: boolean;
}

const GRACE_MS = 200;
const NOBODY: Reaper = {
  endOrphans: () => Promise.resolve(0),
  mark: () => 'nobody',
  add: () => undefined,
  remove: () => undefined,
  close: () => Promise.resolve(),
};

export function createLeakyPool({
  marks,
  traits,
  isReaped = true,
}: LeakyPool): ToolDispatcher & ServerDirectory {
  const args = [join(import.meta.dirname, 'leaky-server.ts'), ...traits];
  return createServerPool({
    servers: marks.map((mark, index) =>
      serverConfig(`s${index}`, {
        command: 'node',
        args,
        env: { ...compileCache, [LEAK_VARIABLE]: mark },
        era: 'legacy',
      }),
    ),
    clientInfo: { name: 'leaks', version: '0' },
    logger: recordingLogger(),
    clock: systemClock,
    graceMs: GRACE_MS,
    schemas: sharedChecks,
    ...(isReaped
      ? {}
      : {
          connect: (server, options) =>
            isRemote(server)
              ? Promise.reject(new Error('all are processes'))
              : connectStdioServer(server, options, { reaper: NOBODY, graceMs: GRACE_MS }),
        }),
  });
}
