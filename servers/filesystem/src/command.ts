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
import { createFilesystemServer, NoUsableDirectoryError } from './create-filesystem-server.ts';
import { defaultLimits } from './files/limits.ts';

const usage = `Usage: signalbox-filesystem [options] DIR...

An MCP server for the files below the given directories, and nothing else.
Without DIR the client's roots are the allowed directories.

Options:
  --read-only             offer only the tools that change nothing
  --roots narrow|replace|ignore
                          narrow: the client's roots narrow the directories; replace: they replace them;
                          ignore: roots are not read (default narrow)
  --deny GLOB             hide and refuse matching entries, by path below the directory or by name; may be repeated
  --confirm auto|always|never
                          auto: the user confirms before a directory is deleted with its contents; always: before
                          an existing entry is changed, moved or deleted (default auto)
  --max-result-bytes N    maximum JSON size of a result, 65536 to 3145728 bytes (default ${defaultLimits.maxResultBytes})
  --max-read-bytes N      maximum text of a read, 1024 to 1572864 bytes (default ${defaultLimits.maxReadBytes})
  --max-entries N         maximum entries of a listing or tree, 1 to 10000 (default ${defaultLimits.maxEntries})
  --max-subscriptions N   maximum watched paths, 1 to 10000 (default 256)
  --watch native|polling|off
                          how changes are detected for subscriptions (default native)
  --allow-recheck         on Linux without /proc, accept paths that are only checked before and after use
`;

export const command = defineServerMain({
  name: 'signalbox-filesystem',
  version: packageVersion(import.meta.url),
  usage,
  envPrefix: 'MCP_FS',
  options: {
    'read-only': { type: 'boolean' },
    roots: { type: 'string' },
    deny: { type: 'string', multiple: true },
    confirm: { type: 'string' },
    'max-result-bytes': { type: 'string' },
    'max-read-bytes': { type: 'string' },
    'max-entries': { type: 'string' },
    'max-subscriptions': { type: 'string' },
    watch: { type: 'string' },
    'allow-recheck': { type: 'boolean' },
  },
  start: async ({ values, positionals, env, log }) => {
    const stateKeys = requestStateKeys(env);
    const roots = choiceOption(values, 'roots', {
      choices: ['narrow', 'replace', 'ignore'],
      default: 'narrow',
    });
    const limits = {
      maxResultBytes: integerOption(values, 'max-result-bytes', {
        min: 64 * 1024,
        max: 3 * 1024 * 1024,
        default: defaultLimits.maxResultBytes,
      }),
      maxReadBytes: integerOption(values, 'max-read-bytes', {
        min: 1024,
        max: 1536 * 1024,
        default: defaultLimits.maxReadBytes,
      }),
      maxEntries: integerOption(values, 'max-entries', {
        min: 1,
        max: 10_000,
        default: defaultLimits.maxEntries,
      }),
    };
    if (positionals.includes(''))
      throw new UsageError(
        'an empty DIR was given, perhaps from a variable that is not set; name a directory, or give none',
      );
    if (values.deny?.includes('') === true)
      throw new UsageError(
        'an empty --deny was given, perhaps from a variable that is not set; it would deny nothing',
      );
    if (positionals.length === 0 && roots === 'ignore')
      throw new UsageError('no DIR was given, and --roots ignore leaves nothing to serve');
    try {
      return await createFilesystemServer({
        directories: positionals,
        roots,
        readOnly: values['read-only'] ?? false,
        deny: values.deny ?? [],
        confirm: choiceOption(values, 'confirm', {
          choices: confirmationPolicies,
          default: 'auto',
        }),
        watch: choiceOption(values, 'watch', {
          choices: ['native', 'polling', 'off'],
          default: 'native',
        }),
        maxSubscriptions: integerOption(values, 'max-subscriptions', {
          min: 1,
          max: 10_000,
          default: 256,
        }),
        allowRecheck: values['allow-recheck'] ?? false,
        limits,
        ...(stateKeys === undefined ? {} : { stateKeys }),
        log,
      });
    } catch (error) {
      const isUsage =
        error instanceof NoUsableDirectoryError ||
        error instanceof NoKernelHandlesError ||
        error instanceof PathError;
      if (isUsage) throw new UsageError(error.message, { cause: error });
      throw error;
    }
  },
});
