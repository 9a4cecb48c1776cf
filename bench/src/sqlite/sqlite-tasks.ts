import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { JsonObject } from '@signalbox/mcp-core';
import { drive } from '../drive.ts';
import { median, type Figures } from '../figures.ts';
import { cpuMsOfTree } from '../process-readings.ts';
import { startStdioServer, type StdioServer } from '../server-process.ts';
import { ORDERS, type SampleDatabase } from './sample-database.ts';
import type { Call, SqliteServer } from './sqlite-servers.ts';

/** Numbers of calls. */
export interface SqliteLoad {
  readonly reads: number;
  /** Reads between the first measurement and the second one. */
  readonly readsBetween: number;
  readonly smallReads: number;
  /** Milliseconds of small reads beside a runaway query, which the server may end after half of them. */
  readonly runawayMs: number;
}

/** A task that a server, or better-sqlite3 alone, is measured with. */
export interface SqliteTask {
  /** Key of its table. */
  readonly key: string;
  /** Returns `undefined` for a server without the tool. */
  readonly measure: (
    server: SqliteServer,
    sample: SampleDatabase,
    load: SqliteLoad,
  ) => Promise<Figures | undefined>;
  /** The same work without a server. */
  readonly measureBare?: (sample: SampleDatabase, load: SqliteLoad) => Promise<Figures>;
}

const THOUSAND_ROWS = 'SELECT * FROM orders ORDER BY id LIMIT 1000';
const RUNAWAY =
  'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c';
const SMALL_IN_FLIGHT = 16;
const TIMEOUT_MS = 30_000;
let imports = 0;

export const sqliteTasks: readonly SqliteTask[] = [
  { key: 'read', measure: measureRead, measureBare: measureBareRead },
  { key: 'small', measure: measureSmallReads },
  { key: 'import', measure: measureImport, measureBare: measureBareImport },
  { key: 'runaway', measure: measureRunaway },
];

async function measureRead(
  server: SqliteServer,
  sample: SampleDatabase,
  { reads, readsBetween }: SqliteLoad,
): Promise<Figures> {
  return withServer(server, sample, TIMEOUT_MS, async (running) => {
    const read = () => call(running, server.read(THOUSAND_ROWS));
    const text = JSON.stringify(await read());
    if (!text.includes('Customer 1000')) throw new Error(`${server.name} answered too few rows`);
    for (let done = 0; done < reads / 2; done += 1) await read();
    const figures = await perCall(running, { total: reads, inFlight: 1 }, read);
    for (let done = 0; done < readsBetween; done += 1) await read();
    const { cpuMs: laterCpuMs = 0 } = await perCall(running, { total: reads, inFlight: 1 }, read);
    return { ...figures, laterCpuMs, answerKib: text.length / 1024 };
  });
}

async function measureSmallReads(
  server: SqliteServer,
  sample: SampleDatabase,
  { smallReads }: SqliteLoad,
): Promise<Figures> {
  return withServer(server, sample, TIMEOUT_MS, async (running) => {
    const read = createSmallRead(running, server);
    await drive({ total: smallReads / 2, inFlight: SMALL_IN_FLIGHT }, read);
    return perCall(running, { total: smallReads, inFlight: SMALL_IN_FLIGHT }, read);
  });
}

async function measureImport(
  server: SqliteServer,
  sample: SampleDatabase,
): Promise<Figures | undefined> {
  const { importCsv } = server;
  if (importCsv === undefined) return undefined;
  return withServer(server, sample, TIMEOUT_MS, async (running) => {
    imports += 1;
    const cpuBefore = cpuMsOfTree(running.pid);
    const begun = performance.now();
    const answer = await call(running, importCsv(sample.csv, `imported_${String(imports)}`));
    const elapsedMs = performance.now() - begun;
    const cpuMs = cpuMsOfTree(running.pid) - cpuBefore;
    if (!JSON.stringify(answer).includes(String(sample.csvRows)))
      throw new Error(`${server.name} did not import every row`);
    return { cpuMs, elapsedMs, rowsPerSecond: (sample.csvRows / elapsedMs) * 1000 };
  });
}

/** Small reads one after another, from 5 ms after the start of a query that never ends. */
async function measureRunaway(
  server: SqliteServer,
  sample: SampleDatabase,
  { runawayMs }: SqliteLoad,
): Promise<Figures> {
  return withServer(server, sample, runawayMs / 2, async (running) => {
    const read = createSmallRead(running, server);
    await read();
    const calm = await timesOf(read, runawayMs / 10);
    running.connection.request('tools/call', server.read(RUNAWAY)).catch(() => undefined);
    await sleep(5);
    const times = await timesOf(read, runawayMs);
    return {
      calmMs: median(calm),
      delayMs: Math.max(...times) - median(calm),
      reads: times.length,
    };
  });
}

/** Returns the milliseconds of each call; a call without an answer counts up to the limit. */
async function timesOf(read: () => Promise<void>, limitMs: number): Promise<readonly number[]> {
  const end = performance.now() + limitMs;
  const times: number[] = [];
  while (performance.now() < end) {
    const begun = performance.now();
    await Promise.race([read(), sleep(end - begun)]);
    times.push(performance.now() - begun);
  }
  return times;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}

function createSmallRead(running: StdioServer, server: SqliteServer): () => Promise<void> {
  let id = 0;
  return async () => {
    id = (id % ORDERS) + 1;
    await call(running, server.read(`SELECT name, amount FROM orders WHERE id = ${String(id)}`));
  };
}

async function perCall(
  running: StdioServer,
  load: { readonly total: number; readonly inFlight: number },
  one: () => Promise<unknown>,
): Promise<Figures> {
  const cpuBefore = cpuMsOfTree(running.pid);
  const { made, elapsedMs } = await drive(load, async () => void (await one()));
  const cpuMs = (cpuMsOfTree(running.pid) - cpuBefore) / made;
  return { cpuMs, answerMs: elapsedMs / made, perSecond: (made / elapsedMs) * 1000 };
}

async function measureBareRead(
  { database }: SampleDatabase,
  { reads, readsBetween }: SqliteLoad,
): Promise<Figures> {
  const count = Math.ceil(reads * 1.5);
  const all = count + readsBetween + reads;
  const { cpuMs, elapsedMs } = await runBare('read', database, THOUSAND_ROWS, String(count));
  const later = await runBare('read', database, THOUSAND_ROWS, String(all));
  return { cpuMs: cpuMs / count, answerMs: elapsedMs / count, laterCpuMs: later.cpuMs / all };
}

async function measureBareImport({ database, csv, csvRows }: SampleDatabase): Promise<Figures> {
  const { cpuMs, elapsedMs } = await runBare('import', database, csv);
  return { cpuMs, elapsedMs, rowsPerSecond: (csvRows / elapsedMs) * 1000 };
}

async function runBare(
  ...programArguments: readonly string[]
): Promise<{ readonly cpuMs: number; readonly elapsedMs: number }> {
  const program = fileURLToPath(new URL('./bare.mjs', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...programArguments]);
  return JSON.parse(stdout) as { readonly cpuMs: number; readonly elapsedMs: number };
}

async function withServer<Result>(
  server: SqliteServer,
  { database }: SampleDatabase,
  timeoutMs: number,
  work: (running: StdioServer) => Promise<Result>,
): Promise<Result> {
  const running = startStdioServer(server.program, {
    era: 'legacy',
    nodeArguments: [],
    programArguments: server.programArguments(database, timeoutMs),
    reportsUsage: false,
  });
  try {
    await running.connection.open();
    for (const each of server.prepare(database)) await call(running, each);
    return await work(running);
  } finally {
    await running.stop();
  }
}

/** @throws Error when the server answers that it failed */
async function call({ connection }: StdioServer, params: Call): Promise<JsonObject> {
  const answer = await connection.request('tools/call', params);
  if (answer['isError'] === true)
    throw new Error(`${params.name} answered ${JSON.stringify(answer['content']).slice(0, 300)}`);
  return answer;
}
