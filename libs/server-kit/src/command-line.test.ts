import { describe, expect, test } from 'vitest';
import { parseCommandLine } from './command-line.ts';
import { UsageError } from './usage-error.ts';

const options = { units: { type: 'string' }, demo: { type: 'boolean' }, deny: { type: 'string', multiple: true } } as const;

describe('parseCommandLine', () => {
  test('gives the values by name, the positionals in order and the log level', () => {
    const line = parseCommandLine(options, ['--demo', '/a', '--units', 'metric', '--deny', 'x', '--deny=y', '/b', '--log-level', 'debug']);
    expect(line).toEqual({
      kind: 'start',
      values: { demo: true, units: 'metric', deny: ['x', 'y'], 'log-level': 'debug' },
      positionals: ['/a', '/b'],
      logLevel: 'debug',
    });
  });

  test('logs warnings and errors when no level is given', () => {
    expect(parseCommandLine(options, [])).toMatchObject({ kind: 'start', logLevel: 'warn' });
  });

  test('prefers --help to --version and both to everything else', () => {
    expect(parseCommandLine(options, ['--version', '--help'])).toEqual({ kind: 'help' });
    expect(parseCommandLine(options, ['-h'])).toEqual({ kind: 'help' });
    expect(parseCommandLine(options, ['--version', '--log-level', 'nonsense'])).toEqual({ kind: 'version' });
  });

  test('takes everything after -- as a positional', () => {
    expect(parseCommandLine(options, ['--', '--demo'])).toMatchObject({ positionals: ['--demo'], values: {} });
  });

  test.each([
    [['--dmeo'], "Unknown option '--dmeo'"],
    [['-x'], "Unknown option '-x'"],
    [['--units'], "Option '--units <value>' argument missing"],
    [['--units', '--demo'], "Option '--units' argument is ambiguous"],
    [['--demo=yes'], "Option '--demo' does not take an argument"],
    [['--log-level', 'loud'], '--log-level must be one of debug, info, warn, error, not "loud"'],
  ])('refuses %j in one line', (args, message) => {
    expect(() => parseCommandLine(options, args)).toThrow(new UsageError(message));
  });
});
