import { resolve } from 'node:path';
import type { Command } from './command-definition.ts';
import { EXIT, EXIT_CODES_HELP } from './exit-code.ts';
import { UsageError } from './io.ts';
import { optionsHelp, parseOptions } from './options.ts';

const HELP = `signalbox migrate --from DIR --to URL: copies the runs of a data directory into an empty PostgreSQL database

Threads, events, artifacts, keys and the audit are copied, too. No service may use the data directory meanwhile; it stays as it is.

${optionsHelp(['from', 'to'])}

${EXIT_CODES_HELP}
`;

export const migrateCommand: Command = {
  help: () => HELP,
  async run({ io, rest, env, cwd }) {
    const { values, positionals } = parseOptions('migrate', rest, ['from', 'to']);
    const url = values.to ?? env['DATABASE_URL'];
    if (positionals.length > 0 || url === undefined)
      throw new UsageError('migrate takes --from DIR and --to URL; see signalbox migrate --help');
    if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url))
      throw new UsageError(
        '--to: must be the address of a PostgreSQL database, such as postgres://USER:PASSWORD@HOST:5432/DATABASE',
      );
    const dataDir = resolve(cwd, values.from ?? env['SIGNALBOX_DATA_DIR'] ?? '.signalbox');
    const { copyToPostgres } = await import('../store/postgres/copy-to-postgres.ts');
    const copied = await copyToPostgres({ dataDir, url });
    const number = (table: string): number => copied.get(table) ?? 0;
    io.out(
      `copied ${number('runs')} runs, ${number('threads')} threads, ${number('events')} events and ${number('artifacts')} artifacts; start the service with DATABASE_URL to continue them\n`,
    );
    return EXIT.done;
  },
};
