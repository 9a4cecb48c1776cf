import { resolve } from 'node:path';
import { databaseSetting } from '../config/database-setting.ts';
import type { ReplayReport } from '../replay/replay-run.ts';
import { createStderrLogger } from '../system/stderr-logger.ts';
import { terminalLine } from '../text/terminal-text.ts';
import type { Command } from './command-definition.ts';
import { EXIT, EXIT_CODES_HELP } from './exit-code.ts';
import { UsageError } from './io.ts';
import { optionsHelp, parseOptions } from './options.ts';

const HELP = `signalbox replay RUN: replays a settled run with the recorded model replies, tool results and user input

Calls no model and no tool, and changes nothing. Prints the first decision that differs; exit code 0 when none differs, else 1.

  RUN                    id of the run

${optionsHelp(['data-dir'], { 'data-dir': 'data directory with the run; default: the database of $DATABASE_URL, else $SIGNALBOX_DATA_DIR, else ./.signalbox. A service may be using it' })}

${EXIT_CODES_HELP}
`;

export const replayCommand: Command = {
  help: () => HELP,
  async run({ io, rest, env, cwd }) {
    const { values, positionals } = parseOptions('replay', rest, ['data-dir']);
    const [runId, other] = positionals;
    if (runId === undefined || other !== undefined)
      throw new UsageError('replay takes the id of one run; see signalbox replay --help');
    const database = values['data-dir'] === undefined ? databaseSetting(env) : undefined;
    const dataDir = resolve(cwd, values['data-dir'] ?? env['SIGNALBOX_DATA_DIR'] ?? '.signalbox');
    const source = database === undefined ? { dataDir } : { databaseUrl: database.url };
    const logger = createStderrLogger({ level: 'warn', format: 'text' }, (line) => io.err(line));
    const { replayRun } = await import('../replay/replay-run.ts');
    const report = await replayRun({ source, runId, logger });
    io.out(`${terminalLine(sentence(report))}\n`);
    return report.difference === undefined ? EXIT.done : EXIT.failed;
  },
};

function sentence({ run, calls, isStopped, difference }: ReplayReport): string {
  const subject = `run ${run.id} (${run.status}, ${run.turns} turns, ${calls} tool ${calls === 1 ? 'call' : 'calls'})`;
  if (difference !== undefined) return `${subject} has different decisions: ${difference}`;
  return `${subject} has the same decisions${isStopped ? ' up to the point where it was stopped' : ''}`;
}
