import { expect, test } from 'vitest';
import { type CommandHost, processCommand } from './process-command.ts';

function hostOn(platform: string): CommandHost {
  return {
    platform,
    execPath: 'C:\\nodejs\\node.exe',
    systemRoot: 'C:\\Windows',
    isFile: (path) => ['C:\\nodejs\\npx.cmd', 'C:\\app\\run.bat'].includes(path),
  };
}

const env = { Path: 'C:\\nodejs' };

test('npx on Windows is started with cmd.exe', () => {
  expect(
    processCommand({ command: 'npx', args: ['-y', 'a server'] }, env, hostOn('win32')),
  ).toEqual({
    file: 'C:\\Windows\\System32\\cmd.exe',
    args: ['/d', '/e:on', '/v:off', '/s', '/c', '""C:\\nodejs\\npx.cmd" -y "a server""'],
    windowsVerbatimArguments: true,
  });
});

test('a command on Windows with a folder is relative to the working directory', () => {
  const { args } = processCommand({ command: '.\\run', cwd: 'C:\\app' }, env, hostOn('win32'));
  expect(args.at(-1)).toBe('""C:\\app\\run.bat""');
});

test.each(['linux', 'darwin'])('npx on %s is started as it is', (platform) => {
  expect(processCommand({ command: 'npx', args: ['-y'] }, env, hostOn(platform))).toEqual({
    file: 'npx',
    args: ['-y'],
    windowsVerbatimArguments: false,
  });
});

test.each(['linux', 'win32'])('node on %s is the running Node', (platform) => {
  expect(processCommand({ command: 'node', args: ['"'] }, env, hostOn(platform))).toEqual({
    file: 'C:\\nodejs\\node.exe',
    args: ['"'],
    windowsVerbatimArguments: false,
  });
});
