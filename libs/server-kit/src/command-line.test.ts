import { describe, expect, test } from 'vitest';
import { parseCommandLine } from './command-line.ts';
import { UsageError } from './usage-error.ts';

const options = {
  units: { type: 'string' },
  demo: { type: 'boolean' },
  deny: { type: 'string', multiple: true },
} as const;

describe('parseCommandLine', () => {
  test('gives the values by name, the positionals in order and the log level', () => {
    const line = parseCommandLine(options, {
      args: [
        '--demo',
        '/a',
        '--units',
        'metric',
        '--deny',
        'x',
        '--deny=y',
        '/b',
        '--log-level',
        'debug',
      ],
    });
    expect(line).toEqual({
      kind: 'start',
      values: { demo: true, units: 'metric', deny: ['x', 'y'], 'log-level': 'debug' },
      positionals: ['/a', '/b'],
      logLevel: 'debug',
      http: undefined,
      auth: undefined,
      variables: new Map(),
    });
  });

  test('logs warnings and errors when no level is given', () => {
    expect(parseCommandLine(options, { args: [] })).toMatchObject({
      kind: 'start',
      logLevel: 'warn',
    });
  });

  test('prefers --help to --version and both to everything else', () => {
    expect(parseCommandLine(options, { args: ['--version', '--help'] })).toEqual({ kind: 'help' });
    expect(parseCommandLine(options, { args: ['-h'] })).toEqual({ kind: 'help' });
    expect(parseCommandLine(options, { args: ['--version', '--log-level', 'nonsense'] })).toEqual({
      kind: 'version',
    });
  });

  test('takes everything after -- as a positional', () => {
    expect(parseCommandLine(options, { args: ['--', '--demo'] })).toMatchObject({
      positionals: ['--demo'],
      values: {},
    });
  });

  test.each([
    [['--dmeo'], "Unknown option '--dmeo'"],
    [['-x'], "Unknown option '-x'"],
    [['--units'], "Option '--units <value>' argument missing"],
    [['--units', '--demo'], "Option '--units' argument is ambiguous"],
    [['--demo=yes'], "Option '--demo' does not take an argument"],
    [['--log-level', 'loud'], '--log-level must be one of debug, info, warn, error, not "loud"'],
  ])('refuses %j in one line', (args, message) => {
    expect(() => parseCommandLine(options, { args })).toThrow(new UsageError(message));
  });

  describe('with variables', () => {
    const parse = (args: readonly string[], env: NodeJS.ProcessEnv) =>
      parseCommandLine(options, { args, env, envPrefix: 'MCP_KIT' });

    test('takes options from them, and an argument before its variable', () => {
      const env = {
        MCP_KIT_UNITS: 'metric',
        MCP_KIT_DEMO: 'true',
        MCP_KIT_DENY: 'a;{b,c}\nd',
        MCP_KIT_LOG_LEVEL: 'error',
        OTHER_UNITS: 'x',
      };
      expect(parse(['/a'], env)).toMatchObject({
        values: { units: 'metric', demo: true, deny: ['a', '{b,c}', 'd'] },
        positionals: ['/a'],
        logLevel: 'error',
      });
      expect(parse(['--units', 'us', '--deny', 'x', '--log-level', 'debug'], env)).toMatchObject({
        values: { units: 'us', deny: ['x'] },
        logLevel: 'debug',
      });
    });

    test('an empty one and a switch that is off give nothing', () => {
      expect(parse([], { MCP_KIT_UNITS: '', MCP_KIT_DEMO: '0' })).toMatchObject({ values: {} });
    });

    test('a value may begin with a dash', () => {
      expect(parse([], { MCP_KIT_UNITS: '--demo' })).toMatchObject({ values: { units: '--demo' } });
    });

    test.each([
      [{ MCP_KIT_DEMO: 'maybe' }, 'MCP_KIT_DEMO must be true or false, not "maybe"'],
      [
        { MCP_KIT_LOG_LEVEL: 'loud' },
        '--log-level must be one of debug, info, warn, error, not "loud" (from MCP_KIT_LOG_LEVEL)',
      ],
      [
        { MCP_KIT_HTTP: 'x' },
        '--http must be a port or host:port, as in 3000, localhost:3000 or [::1]:3000, not "x" (from MCP_KIT_HTTP)',
      ],
    ])('refuses %j by its name', (env, message) => {
      expect(() => parse([], env)).toThrow(new UsageError(message));
    });

    test('without a prefix there are none', () => {
      expect(
        parseCommandLine(options, { args: [], env: { MCP_KIT_UNITS: 'x', undefined_UNITS: 'x' } }),
      ).toMatchObject({ values: {} });
    });
  });

  test('names the arguments and the variables for the configuration of a host', () => {
    const line = parseCommandLine(options, {
      args: ['--demo', '--print-config', '/a'],
      env: { MCP_KIT_UNITS: 'metric', SECRET: 's' },
      envPrefix: 'MCP_KIT',
    });
    expect(line).toEqual({
      kind: 'print-config',
      args: ['--demo', '/a'],
      positionals: ['/a'],
      env: { MCP_KIT_UNITS: 'metric' },
      http: undefined,
    });
  });
});
