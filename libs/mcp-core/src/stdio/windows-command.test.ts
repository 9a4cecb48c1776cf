import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { windowsCommand, type WindowsSystem } from './windows-command.ts';

const NODE_FOLDER = 'C:\\Program Files\\nodejs';
const FILES = [
  `${NODE_FOLDER}\\node.exe`,
  `${NODE_FOLDER}\\npx.cmd`,
  'C:\\tools\\uvx.exe',
  'C:\\tools\\run.bat',
  'C:\\tools\\both.exe',
  'C:\\tools\\both.cmd',
  'C:\\tools\\script.js',
  'C:\\work\\local.cmd',
  'C:\\work\\bin\\tool.cmd',
  'C:\\100%\\odd.cmd',
];

function systemWith(options: Partial<WindowsSystem> = {}): WindowsSystem {
  const known = new Set(FILES.map((file) => file.toLowerCase()));
  return {
    env: { Path: `${NODE_FOLDER};C:\\tools`, PATHEXT: '.COM;.EXE;.BAT;.CMD;.VBS;.JS' },
    cwd: 'C:\\work',
    systemRoot: 'C:\\Windows',
    // Windows ignores case, and dots and spaces at the end.
    isFile: (path) => known.has(path.toLowerCase().replace(/[. ]+$/, '')),
    ...options,
  };
}

const CMD = 'C:\\Windows\\System32\\cmd.exe';

/** Returns the command line inside of the outer quotes, as `cmd /s /c` reads it. */
function lineOf(command: string, args: readonly string[], system = systemWith()): string {
  const started = windowsCommand(command, args, system);
  expect(started.file).toBe(CMD);
  expect(started.windowsVerbatimArguments).toBe(true);
  expect(started.args.slice(0, -1)).toEqual(['/d', '/e:on', '/v:off', '/s', '/c']);
  const line = started.args.at(-1) ?? '';
  expect(line).toMatch(/^"".*"$/);
  return line.slice(1, -1);
}

describe('the file of a command', () => {
  test.each([
    ['uvx', 'C:\\tools\\uvx.exe'],
    ['UVX.EXE', 'C:\\tools\\UVX.EXE'],
    ['both', 'C:\\tools\\both.exe'],
    ['C:\\tools\\uvx', 'C:\\tools\\uvx.exe'],
    ['..\\tools\\uvx.exe', 'C:\\tools\\uvx.exe'],
    ['../tools/uvx.exe', 'C:\\tools\\uvx.exe'],
  ])('%s is the program %s, whose arguments Node quotes', (command, file) => {
    const args = ['"', '%PATH%', ''];
    expect(windowsCommand(command, args, systemWith())).toEqual({
      file,
      args,
      windowsVerbatimArguments: false,
    });
  });

  test.each([
    ['npx', `"${NODE_FOLDER}\\npx.cmd"`],
    ['npx.cmd', `"${NODE_FOLDER}\\npx.cmd"`],
    ['run', '"C:\\tools\\run.bat"'],
    ['both.cmd', '"C:\\tools\\both.cmd"'],
    ['bin/tool', '"C:\\work\\bin\\tool.cmd"'],
    ['.\\local', '"C:\\work\\local.cmd"'],
    ['C:local.cmd', '"C:\\work\\local.cmd"'],
  ])('%s is a batch file that cmd.exe runs', (command, line) => {
    expect(lineOf(command, [])).toBe(line);
  });

  test.each(['npx.cmd.', 'npx.cmd ', 'npx.cmd. .', 'run.bat...'])(
    '%j is a batch file although its name ends with dots and spaces',
    (command) => {
      expect(lineOf(command, ['a&b'])).toMatch(/(?:npx\.cmd|run\.bat)" "a&b"$/);
    },
  );

  test('is searched in PATH in order, with the extensions of PATHEXT in order', () => {
    const env = { PATH: '"C:\\tools";;C:\\work', PATHEXT: '.CMD;.EXE' };
    expect(lineOf('both', [], systemWith({ env }))).toBe('"C:\\tools\\both.cmd"');
    expect(lineOf('local', [], systemWith({ env }))).toBe('"C:\\work\\local.cmd"');
    expect(lineOf('tool', [], systemWith({ env: { PATH: 'bin' } }))).toBe(
      '"C:\\work\\bin\\tool.cmd"',
    );
  });

  test('is searched in the first PATH of several, which is the one that Node passes', () => {
    const env = { Path: 'C:\\tools', PATH: NODE_FOLDER };
    expect(lineOf('npx', [], systemWith({ env }))).toBe(`"${NODE_FOLDER}\\npx.cmd"`);
    expect(windowsCommand('uvx', [], systemWith({ env })).file).toBe('uvx');
  });

  test.each(['missing', 'local', 'script', 'script.js', 'C:\\nowhere\\npx', '', ' '])(
    '%j is left to Node: it is not found, not in PATH or not a program',
    (command) => {
      expect(windowsCommand(command, ['a'], systemWith())).toEqual({
        file: command,
        args: ['a'],
        windowsVerbatimArguments: false,
      });
    },
  );

  test.each(['missing.cmd', 'local.cmd', 'C:\\nowhere\\a.BAT', 'missing.cmd. '])(
    '%s is never left to Node, which could start it without quotes',
    (command) => {
      expect(() => windowsCommand(command, ['a'], systemWith())).toThrow('was not found');
    },
  );

  test('has the shell of the system, not that of a variable or of the working directory', () => {
    const env = { Path: NODE_FOLDER, ComSpec: 'C:\\evil.exe' };
    const started = windowsCommand('npx', [], systemWith({ env, systemRoot: 'D:\\Win' }));
    expect(started.file).toBe('D:\\Win\\System32\\cmd.exe');
    expect(windowsCommand('npx', [], systemWith({ env, systemRoot: undefined })).file).toBe(CMD);
  });
});

describe('the arguments of a batch file', () => {
  test.each([
    ['-y', '-y'],
    ['@scope/package@1.2.3', '@scope/package@1.2.3'],
    ['C:\\data\\a.db', 'C:\\data\\a.db'],
    ['', '""'],
    ['a b', '"a b"'],
    ['C:\\data\\', '"C:\\data\\\\"'],
    ['two\\\\', '"two\\\\\\\\"'],
    ['package@^1.2', '"package@^1.2"'],
    ['https://a.example/?b=1&c=2', '"https://a.example/?b=1&c=2"'],
    ['& calc.exe', '"& calc.exe"'],
    ['a|b>c<d', '"a|b>c<d"'],
    ['(a)', '"(a)"'],
    ['!PATH!', '"!PATH!"'],
    ['a,b;c=d', '"a,b;c=d"'],
    ['*', '"*"'],
    ['größe', '"größe"'],
  ])('%j becomes %s', (argument, written) => {
    expect(lineOf('npx', [argument])).toBe(`"${NODE_FOLDER}\\npx.cmd" ${written}`);
  });

  test.each([
    ['{"a":1}', '\\"'],
    ['" & calc.exe & "', '\\"'],
    ['%PATH%', '%'],
    ['50%', '%'],
    ['a\nb', '\\n'],
    ['a\r& calc.exe', '\\r'],
    ['a\0b', '\\u0000'],
  ])('%j is refused', (argument, character) => {
    expect(() => windowsCommand('npx', ['-y', argument], systemWith())).toThrow(
      `the argument ${JSON.stringify(argument)} has the character "${character}", which cannot be passed safely to a batch file on Windows.`,
    );
  });

  test('are refused when the path of the batch file cannot be quoted', () => {
    expect(() => windowsCommand('C:\\100%\\odd', [], systemWith())).toThrow(
      'the path "C:\\\\100%\\\\odd.cmd" has the character "%"',
    );
  });

  test('are refused when the command line is too long', () => {
    const room =
      8191 - [CMD, '/d /e:on /v:off /s /c', `""${NODE_FOLDER}\\npx.cmd" "`].join(' ').length;
    expect(lineOf('npx', ['a'.repeat(room)])).toContain('aaa');
    expect(() => windowsCommand('npx', ['a'.repeat(room + 1)], systemWith())).toThrow(
      'the command line may have 8191 characters',
    );
  });

  const refused = '"%\n\r\t';
  const accepted = "ab\\&|<>^()!=,; @*?~`$#'{}[]-/:.ä";

  test('reach the program as they are, with no character that cmd.exe acts upon', () => {
    const argument = fc.string({ unit: fc.constantFrom(...accepted.split('')), maxLength: 12 });
    fc.assert(
      fc.property(fc.array(argument, { maxLength: 5 }), (args) => {
        const line = lineOf('npx', args);
        expect(unquotedPart(line)).not.toMatch(/[&|<>^()!=,;]/);
        expect(argumentsOf(line).slice(1)).toEqual(args);
      }),
      { numRuns: 3000 },
    );
  });

  test('are refused with a character that quotes do not protect, wherever it is', () => {
    const text = fc.string({ unit: fc.constantFrom(...accepted.split('')), maxLength: 4 });
    const argument = fc
      .tuple(text, fc.constantFrom(...refused.split('')), text)
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(argument, (each) => {
        expect(() => windowsCommand('npx', [each], systemWith())).toThrow(
          'cannot be passed safely to a batch file',
        );
      }),
    );
  });
});

/** Returns the characters that cmd.exe reads outside of quotes; each quotation mark toggles them. */
function unquotedPart(line: string): string {
  return line
    .split('"')
    .filter((_, index) => index % 2 === 0)
    .join('');
}

/** Parses a command line like the C runtime of Windows. */
function argumentsOf(line: string): string[] {
  const args: string[] = [];
  let current: string | undefined;
  let isQuoted = false;
  for (const [, backslashes = '', character = ''] of line.matchAll(/(\\*)([^\\]|$)/gsu)) {
    if (character === '"') {
      current = `${current ?? ''}${'\\'.repeat(Math.floor(backslashes.length / 2))}`;
      if (backslashes.length % 2 === 1) current += '"';
      else isQuoted = !isQuoted;
      continue;
    }
    if (backslashes !== '') current = `${current ?? ''}${backslashes}`;
    if (character === ' ' && !isQuoted) {
      if (current !== undefined) args.push(current);
      current = undefined;
    } else if (character !== '') {
      current = `${current ?? ''}${character}`;
    }
  }
  if (current !== undefined) args.push(current);
  return args;
}
