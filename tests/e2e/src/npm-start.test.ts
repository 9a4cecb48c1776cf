import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { repository } from './support/markdown.ts';
import { temporaryFolder } from './support/service.ts';

const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
  readonly scripts: { readonly [name: string]: string };
};

test.each(['start', 'demo', 'dev'])(
  'npm run %s uses no shell feature that cmd.exe lacks',
  (name) => {
    expect(scripts[name]).toMatch(/^node [\w@/.=-]+(?: [\w@/.=-]+)*$/);
  },
);

test('npm start serves the API with its document and the console, and SIGTERM ends the service', async () => {
  const folder = await temporaryFolder();
  onTestFinished(() => folder.remove());
  // The script of the repository without the build before it.
  writeFileSync(
    join(folder.path, 'package.json'),
    JSON.stringify({ private: true, scripts: { start: scripts['start'] } }),
  );
  for (const name of ['apps', 'tools'])
    symlinkSync(join(repository, name), join(folder.path, name), 'junction');
  const npm = spawn(
    'npm',
    ['start', '--', '--port', '0', '--data-dir', join(folder.path, 'data')],
    { cwd: folder.path, stdio: ['ignore', 'pipe', 'ignore'] },
  );
  onTestFinished(() => void npm.kill('SIGKILL'));
  const ended = once(npm, 'exit');
  const url = await new Promise<string>((resolve, reject) => {
    let output = '';
    npm.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const found = /ready on (http:\S+)/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    });
    void ended.then(() => reject(new Error(output)));
  });
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as object;
  expect(document).toMatchObject({ openapi: '3.1.0' });
  expect(await (await fetch(url)).text()).toContain('<title>Signalbox</title>');
  npm.kill('SIGTERM');
  await ended;
  await expect
    .poll(
      () =>
        fetch(`${url}/healthz`).then(
          ({ status }) => status,
          () => 'gone',
        ),
      { timeout: 10_000 },
    )
    .toBe('gone');
});
