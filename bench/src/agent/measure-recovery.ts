import type { Figures } from '../figures.ts';
import { getJson, type RunView } from './rest.ts';
import { RunStream } from './run-stream.ts';
import { configFor, limitsFor, PROMPT } from './scenario.ts';
import { startAgent, temporaryFolder } from './service.ts';

const WORK = { turns: 20, callsPerTurn: 2 };
const RUNS = 50;
/** The service is killed when the first run begins this turn. */
const KILLED_AT_TURN = 5;

/** Kills the service with SIGKILL in the middle of many runs and starts it again. */
export async function measureRecovery(): Promise<Figures> {
  await using folder = await temporaryFolder();
  const config = await configFor(folder.path, WORK);
  const first = await startAgent({ folder: folder.path, config });
  let turns = 0;
  const due = Promise.withResolvers<void>();
  const onEvent = (type: string): void => {
    if (type === 'turn.started') turns += 1;
    if (turns === KILLED_AT_TURN) due.resolve();
  };
  const watched = await RunStream.start(
    first.url,
    { prompt: PROMPT, limits: limitsFor(WORK) },
    { onEvent },
  );
  const others = await Promise.all(
    Array.from({ length: RUNS - 1 }, () =>
      RunStream.start(first.url, { prompt: PROMPT, limits: limitsFor(WORK) }),
    ),
  );
  await due.promise;
  const all = [watched, ...others];
  for (const { stream } of all) stream.leave();
  await first.stop('SIGKILL');

  const begun = performance.now();
  const next = await startAgent({ folder: folder.path, config });
  try {
    const ends = await Promise.all(all.map(({ runId }) => end(next.url, runId)));
    return {
      inFlight: ends.filter(({ firstNewAt }) => firstNewAt !== undefined).length,
      readyMs: next.readyMs,
      firstSeconds: (Math.max(...ends.map(({ firstNewAt }) => firstNewAt ?? 0)) - begun) / 1000,
      allSeconds: (performance.now() - begun) / 1000,
      completed: ends.filter(({ status }) => status === 'completed').length,
      lost: ends.reduce((sum, { lost }) => sum + lost, 0),
    };
  } finally {
    await next.stop();
  }
}

interface End {
  readonly status: string;
  readonly lost: number;
  /** Time of the run's next turn; absent if the run had ended before. */
  readonly firstNewAt: number | undefined;
}

async function end(url: string, runId: string): Promise<End> {
  const { last_seq: before } = await getJson<RunView>(`${url}/v1/runs/${runId}`);
  let firstNewAt: number | undefined;
  const stream = await RunStream.open(url, runId, {
    onEvent: (type, seq) => {
      if (type === 'turn.started' && seq > before) firstNewAt ??= performance.now();
    },
  });
  const { inOrder, outOfOrder } = await stream.ended;
  const { status, last_seq: lastSeq } = await getJson<RunView>(`${url}/v1/runs/${runId}`);
  return { status, lost: lastSeq - inOrder + outOfOrder, firstNewAt };
}
