import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const BIN = join(import.meta.dirname, '..', 'bin.js');

test('an old Node version is refused before anything is loaded, and the message says how to get a supported version', async () => {
  const pretence =
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } });';
  const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
    execFile(
      process.execPath,
      ['--import', `data:text/javascript,${encodeURIComponent(pretence)}`, BIN, '--version'],
      (error, _stdout, text) => resolve({ code: error?.code, stderr: text }),
    );
  });
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^signalbox needs Node 22\.22 or newer; this is 20\.20\.2\. .*npx --prefix CHECKOUT signalbox\n$/,
  );
});

test('the bundle has the schemas of requests, and not those of responses', () => {
  const folder = join(import.meta.dirname, '../bundle');
  const code = globSync(join(folder, '*.js')).map((file) => readFileSync(file, 'utf8'));
  const withId = (id: string) => code.filter((text) => text.includes(`{id:"${id}"`)).length;
  expect(['NewRun', 'NewSchedule'].map(withId)).toEqual([1, 1]);
  expect(['Run', 'RunEvent', 'ScheduleList', 'ProblemDetails'].map(withId)).toEqual([0, 0, 0, 0]);
});
