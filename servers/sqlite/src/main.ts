import { integerOption, packageVersion, runServer } from '@signalbox/server-kit';
import { databasePath } from './database-path.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { createSqliteServer } from './sqlite-server.ts';

const USAGE = `Usage: signalbox-sqlite [options] FILE

An MCP server that reads the SQLite database FILE. It speaks MCP on stdin and stdout.

Options:
  --db-path FILE          the database, instead of the argument
  --timeout-ms N          longest run of one query (default ${DEFAULT_LIMITS.timeoutMs})
  --busy-timeout-ms N     longest wait for another process's lock, at most 4/5 of --timeout-ms (default ${DEFAULT_LIMITS.busyTimeoutMs})
  --max-rows N            most rows of one result (default ${DEFAULT_LIMITS.maxRows})
  --max-cell-bytes N      longest value in a result (default ${DEFAULT_LIMITS.maxCellBytes})
  --max-result-bytes N    longest result (default ${DEFAULT_LIMITS.maxResultBytes})
  --max-memory-mb N       most memory of one query process (default ${DEFAULT_LIMITS.maxMemoryMb})
  --log-level LEVEL       debug, info, warn or error, on stderr (default warn)
  --help, --version
`;

const VERSION = packageVersion(import.meta.url);

await runServer({
  name: 'signalbox-sqlite',
  version: VERSION,
  usage: USAGE,
  options: {
    'db-path': { type: 'string' },
    'timeout-ms': { type: 'string' },
    'busy-timeout-ms': { type: 'string' },
    'max-rows': { type: 'string' },
    'max-cell-bytes': { type: 'string' },
    'max-result-bytes': { type: 'string' },
    'max-memory-mb': { type: 'string' },
  },
  start: ({ values, positionals, log }) => {
    const limits = {
      timeoutMs: integerOption(values, 'timeout-ms', { min: 100, max: 3_600_000, default: DEFAULT_LIMITS.timeoutMs }),
      busyTimeoutMs: integerOption(values, 'busy-timeout-ms', { min: 0, max: 3_600_000, default: DEFAULT_LIMITS.busyTimeoutMs }),
      maxRows: integerOption(values, 'max-rows', { min: 1, max: 100_000, default: DEFAULT_LIMITS.maxRows }),
      maxCellBytes: integerOption(values, 'max-cell-bytes', { min: 64, max: 1_048_576, default: DEFAULT_LIMITS.maxCellBytes }),
      maxResultBytes: integerOption(values, 'max-result-bytes', { min: 16_384, max: 4_194_304, default: DEFAULT_LIMITS.maxResultBytes }),
      maxMemoryMb: integerOption(values, 'max-memory-mb', { min: 128, max: 65_536, default: DEFAULT_LIMITS.maxMemoryMb }),
    };
    const path = databasePath(values['db-path'], positionals);
    return Promise.resolve(createSqliteServer({ path, version: VERSION, limits, onCrash: (message) => log.warn(message) }));
  },
});
