import { mkdir, mkdtemp, realpath, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { connectClient } from '@signalbox/mcp-core/client';
import { spawnStdio } from '@signalbox/mcp-core/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { proves } from '../requirements/proves.ts';
import { CLIENT_INFO } from './message.ts';

test(
  'file URIs do not lead out of the served folders',
  proves({ side: 'server', era: 'modern', wire: 'stdio' }, 'resources.traversal'),
  async () => {
    const outside = await realpath(await mkdtemp(join(tmpdir(), 'outside-')));
    const served = join(outside, 'served');
    await mkdir(served);
    await writeFile(join(outside, 'secret.txt'), 'secret');
    await writeFile(join(served, 'open.txt'), 'open');
    await symlink(join(outside, 'secret.txt'), join(served, 'link.txt'));
    const bin = fileURLToPath(
      new URL('bin.js', import.meta.resolve('@signalbox/server-filesystem/package.json')),
    );
    const client = await connectClient(
      () => spawnStdio({ command: process.execPath, args: [bin, served] }),
      { info: CLIENT_INFO, era: 'modern' },
    );
    onTestFinished(() => client.close());
    const base = pathToFileURL(served).href;
    expect(await client.readResource(`${base}/open.txt`)).toMatchObject([{ text: 'open' }]);
    for (const path of [
      '/../secret.txt',
      '/%2e%2e/secret.txt',
      '/..%2fsecret.txt',
      '/link.txt',
      '/../../../../../../etc/passwd',
    ]) {
      await expect(client.readResource(base + path)).rejects.toMatchObject({ code: -32_602 });
    }
  },
);
