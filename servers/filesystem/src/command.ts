import { choiceOption, defineServerMain, integerOption, packageVersion, UsageError } from '@signalbox/server-kit';
import { createFilesystemServer, NoUsableDirectoryError } from './create-filesystem-server.ts';
import { defaultLimits } from './files/limits.ts';

const usage = `Usage: signalbox-filesystem [options] DIR...

An MCP server on stdin and stdout for the files below the given directories, and nothing else.
Without DIR the client's roots are the allowed directories.

Options:
  --roots narrow|ignore   narrow: the client's roots narrow the directories; ignore: roots are not read (default narrow)
  --max-read-bytes N      text one read returns, 1024 to 524288 bytes (default ${defaultLimits.maxReadBytes})
  --max-entries N         entries one listing or search returns, 1 to 10000 (default ${defaultLimits.maxEntries})
  --log-level LEVEL       debug, info, warn or error, on stderr (default warn)
  --version               print the version
  -h, --help              print this text
`;

export const command = defineServerMain({
  name: 'signalbox-filesystem',
  version: packageVersion(import.meta.url),
  usage,
  options: { roots: { type: 'string' }, 'max-read-bytes': { type: 'string' }, 'max-entries': { type: 'string' } },
  start: async ({ values, positionals, log }) => {
    const roots = choiceOption(values, 'roots', { choices: ['narrow', 'ignore'], default: 'narrow' });
    const limits = {
      maxReadBytes: integerOption(values, 'max-read-bytes', { min: 1024, max: 512 * 1024, default: defaultLimits.maxReadBytes }),
      maxEntries: integerOption(values, 'max-entries', { min: 1, max: 10_000, default: defaultLimits.maxEntries }),
    };
    if (positionals.length === 0 && roots === 'ignore') throw new UsageError('no DIR was given, and --roots ignore leaves nothing to serve');
    try {
      return await createFilesystemServer({ directories: positionals, roots, limits, log });
    } catch (error) {
      if (error instanceof NoUsableDirectoryError) throw new UsageError(error.message, { cause: error });
      throw error;
    }
  },
});
