import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const read = (path: string): Promise<string> => readFile(new URL(path, import.meta.url), 'utf8');
const reference = await read('../../../docs/mcp-core.md');

/** Returns the value of a constant or a default: a product of numbers. */
function valueOf(text: string, name: string): number {
  const [, product = ''] =
    new RegExp(`\\b${name} = ([\\d_]+(?: \\* [\\d_]+)*)`, 'u').exec(text) ?? [];
  return product
    .split(' * ')
    .map((factor) => Number(factor.replaceAll('_', '')))
    .reduce((total, factor) => total * factor, 1);
}

const KIB = 1024;
const MIB = KIB * KIB;

/** Rows of docs/mcp-core.md and the constants that they document. */
const LIMITS: readonly (readonly [row: RegExp, file: string, name: string, value: number])[] = [
  [
    /Concurrent requests of a connection or a legacy session.* \| 4096; 100 \|/u,
    'jsonrpc/peer.ts',
    'MAX_RUNNING',
    4096,
  ],
  [/entries of a batch \| 4096; 100 \|/u, 'jsonrpc/batch-entries.ts', 'MAX_BATCH', 100],
  [
    /`limits.maxConcurrentRequests` \| 10,000 \|/u,
    'http/server/create-http-handler.ts',
    'maxConcurrentRequests',
    10_000,
  ],
  [
    /`sessions.maxSessions`, `sessions.sessionIdleMs` \| 10,000, 30 min \|/u,
    'http/server/create-http-handler.ts',
    'maxSessions',
    10_000,
  ],
  [
    /`sessions.maxSessions`, `sessions.sessionIdleMs` \| 10,000, 30 min \|/u,
    'http/server/create-http-handler.ts',
    'sessionIdleMs',
    30 * 60_000,
  ],
  [
    /`limits.maxBodyBytes` \| 4 MiB \|/u,
    'http/server/create-http-handler.ts',
    'maxBodyBytes',
    4 * MIB,
  ],
  [
    /`sessions.retryMs`, `keepAliveMs` \| 1000 ms, 15 s \|/u,
    'http/server/create-http-handler.ts',
    'retryMs',
    1000,
  ],
  [
    /`sessions.retryMs`, `keepAliveMs` \| 1000 ms, 15 s \|/u,
    'http/server/create-http-handler.ts',
    'keepAliveMs',
    15_000,
  ],
  [
    /`limits.requestTimeoutMs`, `limits.drainMs` \| 60 s, 3 s \|/u,
    'http/server/create-http-handler.ts',
    'drainMs',
    3000,
  ],
  [
    /`limits.requestTimeoutMs`, `limits.drainMs` \| 60 s, 3 s \|/u,
    'http/server/serve-http.ts',
    'requestTimeoutMs',
    60_000,
  ],
  [
    /Responses after the end of stdin \| for 400 ms;.* 100 ms/u,
    'server/connection/connection.ts',
    'LAST_ANSWERS_MS',
    400,
  ],
  [
    /Responses after the end of stdin \| for 400 ms;.* 100 ms/u,
    'server/connection/connection.ts',
    'LAST_CLEANUP_MS',
    100,
  ],
  [
    /`stopTasks` when the task store hangs \| 500 ms \|/u,
    'server/tasks/task-engine.ts',
    'STOP_LIMIT_MS',
    500,
  ],
  [
    /Access tokens that a protected server remembers.* \| 10,000, and 1000 refusals/u,
    'http/protected-resource/resource-access.ts',
    'MAX_TOKENS',
    10_000,
  ],
  [
    /Access tokens that a protected server remembers.* \| 10,000, and 1000 refusals/u,
    'http/protected-resource/resource-access.ts',
    'MAX_REFUSALS',
    1000,
  ],
  [
    /Access tokens that a protected server remembers.* JWTs 10 minutes/u,
    'http/protected-resource/jwt-verifier.ts',
    'maxAgeMs',
    600_000,
  ],
  [
    /Access tokens that a protected server remembers.* introspected tokens 60 s/u,
    'http/protected-resource/introspection.ts',
    'maxAgeMs',
    60_000,
  ],
  [
    /Access tokens that a protected server remembers.* their refusals 10 s/u,
    'http/protected-resource/introspection.ts',
    'maxRefusalAgeMs',
    10_000,
  ],
  [
    /Access tokens that are verified at a time.* \| 1000, .* 16,384 characters/u,
    'http/protected-resource/resource-access.ts',
    'MAX_VERIFYING',
    1000,
  ],
  [
    /Access tokens that are verified at a time.* \| 1000, .* 16,384 characters/u,
    'http/protected-resource/resource-access.ts',
    'MAX_TOKEN_CHARACTERS',
    16_384,
  ],
  [
    /Keys of the issuer \| fetched every 10 minutes/u,
    'http/protected-resource/key-set.ts',
    'MAX_AGE_MS',
    600_000,
  ],
  [
    /Keys of the issuer .* unknown keys every 30 s/u,
    'http/protected-resource/key-set.ts',
    'COOL_DOWN_MS',
    30_000,
  ],
  [
    /Keys of the issuer .* after a failure every 5 s/u,
    'http/protected-resource/key-set.ts',
    'RETRY_MS',
    5000,
  ],
  [
    /Keys of the issuer .* used for 60 minutes/u,
    'http/protected-resource/key-set.ts',
    'MAX_STALE_MS',
    3_600_000,
  ],
  [
    /DPoP proofs; their age \| 100,000 are remembered; 60 s/u,
    'http/protected-resource/dpop-proofs.ts',
    'MAX_PROOFS',
    100_000,
  ],
  [
    /DPoP proofs; their age \| 100,000 are remembered; 60 s/u,
    'http/protected-resource/dpop-proofs.ts',
    'MAX_AGE_S',
    60,
  ],
  [
    /Results of keyed calls; their age \| 16 MiB; 10 minutes/u,
    'server/tools/idempotent-calls.ts',
    'MAX_RESULT_BYTES',
    16 * MIB,
  ],
  [
    /Results of keyed calls; their age \| 16 MiB; 10 minutes/u,
    'server/tools/idempotent-calls.ts',
    'MAX_AGE_MS',
    600_000,
  ],
  [
    /`settings\.limits\.idempotencyEntries` \| 1000 \|/u,
    'server/methods.ts',
    'idempotencyEntries',
    1000,
  ],
  [
    /Log messages that wait for a slow reader \| 256,/u,
    'server/connection/notification-queue.ts',
    'MAX_WAITING',
    256,
  ],
  [
    /wait for a legacy client's GET stream \| 256, together 256 KiB/u,
    'http/server/standalone-stream.ts',
    'MAX_WAITING',
    256,
  ],
  [
    /wait for a legacy client's GET stream \| 256, together 256 KiB/u,
    'http/server/standalone-stream.ts',
    'MAX_WAITING_BYTES',
    256 * KIB,
  ],
  [
    /A URI that a resource template matches \| 8192 characters/u,
    'protocol/errors.ts',
    'MAX_URI_CHARACTERS',
    8192,
  ],
  [/request; its rounds \| 64 KiB; 64 \|/u, 'server/input/multi-round-trip.ts', 'MAX_ROUNDS', 64],
  [
    /`limits.maxInputRounds` \| 10 \|/u,
    'client/input/multi-round-trip.ts',
    'DEFAULT_MAX_ROUNDS',
    10,
  ],
  [
    /`limits.requestTimeoutMs` \| 60 s \|/u,
    'client/connection/client-connection.ts',
    'DEFAULT_REQUEST_TIMEOUT_MS',
    60_000,
  ],
  [
    /`limits.probeTimeoutMs`, `limits.connectTimeoutMs` \| 1500 ms, 60 s \|/u,
    'client/connection/establish-connection.ts',
    'DEFAULT_CONNECT_TIMEOUT_MS',
    60_000,
  ],
  [
    /Output schemas of servers \| .* a million steps/u,
    'schema/worker-evaluator.ts',
    'MAX_STEPS',
    1_000_000,
  ],
  [
    /Output schemas of servers \| .* with 1 s of processor time/u,
    'schema/worker/evaluate-in-worker.ts',
    'LIMIT_MS',
    1000,
  ],
  [
    /Output schemas of servers \| .* ends after 60 s/u,
    'schema/worker/evaluate-in-worker.ts',
    'IDLE_MS',
    60_000,
  ],
  [
    /`settings\.limits\.progressIntervalMs` \| 100 ms \|/u,
    'server/requests/progress.ts',
    'DEFAULT_PROGRESS_INTERVAL_MS',
    100,
  ],
  [
    /Silence of an event stream .* \| four times .* at least 60 s/u,
    'http/client/stream-watchdog.ts',
    'MIN_LIMIT_MS',
    60_000,
  ],
  [
    /`cache` \| 256 results, 16 Mi characters \|/u,
    'client/caching/response-cache.ts',
    'DEFAULT_MAX_ENTRIES',
    256,
  ],
  [
    /`cache` \| 256 results, 16 Mi characters \|/u,
    'client/caching/response-cache.ts',
    'DEFAULT_MAX_CHARACTERS',
    16 * MIB,
  ],
];

test.each(LIMITS)(
  'docs/mcp-core.md documents in %s the value of %s %s',
  async (row, file, name, value) => {
    expect(reference).toMatch(row);
    expect(valueOf(await read(file), name)).toBe(value);
  },
);
