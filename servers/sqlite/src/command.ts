import { resolve } from 'node:path';
import { NoKernelHandlesError, PathError } from '@signalbox/file-sandbox';
import {
  choiceOption,
  confirmationPolicies,
  defineServerMain,
  integerOption,
  packageVersion,
  requestStateKeys,
  UsageError,
} from '@signalbox/server-kit';
import { createSqliteServer } from './create-sqlite-server.ts';
import { databaseFiles } from './database-files.ts';
import { DataFolder, type DataFolderOptions } from './files/data-folder.ts';
import { DEFAULT_LIMITS } from './limits.ts';

const usage = `Usage: signalbox-sqlite [options] [FILE]

An MCP server that reads and writes the SQLite database FILE, which is created if it is missing.

Options:
  --db-path FILE          the database, instead of the argument; its name is main
  --db NAME=FILE          another database with a name; may be repeated
  --read-only             offer only the tools that change nothing; the files must exist
  --must-exist            do not create missing files
  --confirm auto|always|never
                          auto: the user confirms before all rows of a table are changed or deleted and before
                          something is dropped; always: before anything existing is changed (default auto)
  --data-dir DIR          directory of the files of import_data and export_query; without it file paths are refused
  --allow-recheck         accept, on a Linux without /proc, paths in it that are only checked before and after use
  --timeout-ms N          longest run of one call, 100 to 3600000 ms (default ${DEFAULT_LIMITS.timeoutMs})
  --busy-timeout-ms N     longest wait for another process's lock, 0 to 3600000 ms, at most 4/5 of --timeout-ms (default ${DEFAULT_LIMITS.busyTimeoutMs})
  --max-rows N            most rows of one result, 1 to 100000 (default ${DEFAULT_LIMITS.maxRows})
  --max-cell-bytes N      longest value in a result, 64 to 1048576 bytes (default ${DEFAULT_LIMITS.maxCellBytes})
  --max-result-bytes N    longest result, 16384 to 4194304 bytes (default ${DEFAULT_LIMITS.maxResultBytes})
  --max-memory-mb N       most memory of one query process, 128 to 65536 MiB (default ${DEFAULT_LIMITS.maxMemoryMb})
`;

export const command = defineServerMain({
  name: 'signalbox-sqlite',
  version: packageVersion(import.meta.url),
  usage,
  envPrefix: 'MCP_SQLITE',
  options: {
    'db-path': { type: 'string' },
    db: { type: 'string', multiple: true },
    'read-only': { type: 'boolean' },
    'must-exist': { type: 'boolean' },
    confirm: { type: 'string' },
    'data-dir': { type: 'string' },
    'allow-recheck': { type: 'boolean' },
    'timeout-ms': { type: 'string' },
    'busy-timeout-ms': { type: 'string' },
    'max-rows': { type: 'string' },
    'max-cell-bytes': { type: 'string' },
    'max-result-bytes': { type: 'string' },
    'max-memory-mb': { type: 'string' },
  },
  start: async ({ values, positionals, env, log }) => {
    const stateKeys = requestStateKeys(env);
    const limits = {
      timeoutMs: integerOption(values, 'timeout-ms', {
        min: 100,
        max: 3_600_000,
        default: DEFAULT_LIMITS.timeoutMs,
      }),
      busyTimeoutMs: integerOption(values, 'busy-timeout-ms', {
        min: 0,
        max: 3_600_000,
        default: DEFAULT_LIMITS.busyTimeoutMs,
      }),
      maxRows: integerOption(values, 'max-rows', {
        min: 1,
        max: 100_000,
        default: DEFAULT_LIMITS.maxRows,
      }),
      maxCellBytes: integerOption(values, 'max-cell-bytes', {
        min: 64,
        max: 1_048_576,
        default: DEFAULT_LIMITS.maxCellBytes,
      }),
      maxResultBytes: integerOption(values, 'max-result-bytes', {
        min: 16_384,
        max: 4_194_304,
        default: DEFAULT_LIMITS.maxResultBytes,
      }),
      maxMemoryMb: integerOption(values, 'max-memory-mb', {
        min: 128,
        max: 65_536,
        default: DEFAULT_LIMITS.maxMemoryMb,
      }),
    };
    const confirm = choiceOption(values, 'confirm', {
      choices: confirmationPolicies,
      default: 'auto',
    });
    const readOnly = values['read-only'] ?? false;
    const databases = databaseFiles({
      named: values.db ?? [],
      path: values['db-path'],
      positionals,
      readOnly,
      mustExist: values['must-exist'] ?? false,
    });
    const allowRecheck = values['allow-recheck'] ?? false;
    const dataDirectory = values['data-dir'];
    if (dataDirectory !== undefined)
      await checkDataDirectory(dataDirectory, {
        databases: Object.values(databases),
        allowRecheck,
      });
    return createSqliteServer({
      databases,
      ...(dataDirectory === undefined
        ? {}
        : { dataDirectory: resolve(dataDirectory), allowRecheck }),
      readOnly,
      confirm,
      limits,
      ...(stateKeys === undefined ? {} : { stateKeys }),
      log,
    });
  },
});

/** @throws UsageError when the directory cannot be used */
async function checkDataDirectory(directory: string, options: DataFolderOptions): Promise<void> {
  try {
    await DataFolder.open(directory, options);
  } catch (error) {
    if (error instanceof PathError || error instanceof NoKernelHandlesError)
      throw new UsageError(`--data-dir: ${error.message}`, { cause: error });
    throw error;
  }
}
