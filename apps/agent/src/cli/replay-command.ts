import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { replayRun, type ReplayReport } from '../replay/replay-run.ts';
import { createStderrLogger } from '../stderr-logger.ts';
import { terminalLine } from '../terminal-text.ts';
import { UsageError, type Io } from './io.ts';

export const REPLAY_USAGE = `signalbox replay RUN: takes a settled run through the loop again, with what the model, the servers and the person said then

Nothing is called and nothing is changed. Says the first thing that is decided in another way than it was; exit code 0 when there is none, else 1.

Options
  --data-dir DIR       where the run is; default $SIGNALBOX_DATA_DIR, else ./.signalbox; it may be in use
  -h, --help
`;

export interface ReplayCommand {
  readonly argv: readonly string[];
  readonly env: { readonly [name: string]: string | undefined };
  readonly cwd: string;
}

/** @throws UsageError, ReplayError, StoreError */
export async function runReplay(io: Io, { argv, env, cwd }: ReplayCommand): Promise<number> {
  const { values, positionals } = parse(argv);
  if (values.help === true) {
    io.out(REPLAY_USAGE);
    return 0;
  }
  const [runId, other] = positionals;
  if (runId === undefined || other !== undefined) throw new UsageError('replay takes the id of one run; see signalbox replay --help');
  const dataDir = resolve(cwd, values['data-dir'] ?? env['SIGNALBOX_DATA_DIR'] ?? '.signalbox');
  const logger = createStderrLogger({ level: 'warn', format: 'text' }, (line) => io.err(line));
  const report = await replayRun({ dataDir, runId, logger });
  io.out(`${terminalLine(sentence(report))}\n`);
  return report.difference === undefined ? 0 : 1;
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: { 'data-dir': { type: 'string' }, help: { type: 'boolean', short: 'h' } }, allowPositionals: true, strict: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('. ')[0] : 'unknown option';
    throw new UsageError(`${reason}; see signalbox replay --help`, { cause: error });
  }
}

function sentence({ run, calls, isStopped, difference }: ReplayReport): string {
  const what = `run ${run.id} (${run.status}, ${run.turns} turns, ${calls} tool ${calls === 1 ? 'call' : 'calls'})`;
  if (difference !== undefined) return `${what} is decided in another way: ${difference}`;
  return `${what} is decided in the same way${isStopped ? ' up to where it was stopped' : ''}`;
}
