import { readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { eras, type Era, type Json, type StdioPeer } from '../stdio-peer.test.support.ts';
import { shareServers } from './fixture.test.support.ts';

const prepare = shareServers();

const isUpdate = ({ method }: Json): boolean => method === 'notifications/resources/updated';

async function subscribe(peer: StdioPeer, era: Era, uri: string): Promise<void> {
  if (era === 'legacy') {
    await peer.request('resources/subscribe', { uri });
    return;
  }
  void peer.request('subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } });
  await peer.notified(({ method }) => method === 'notifications/subscriptions/acknowledged');
}

describe.each(eras)('a %s client', (era) => {
  test.runIf(process.platform === 'win32')(
    'FS-54 may use the spellings of Windows, but no streams, devices or namespaces',
    async () => {
      await using files = await prepare({ 'A.TXT': 'x', 'f.txt': 'x', 'sub/x': '' });
      // The share of this drive that every Windows has.
      const share = `\\\\localhost\\${files.root.replace(':', '$')}`;
      const peer = await files.serve(era, { args: [share, files.root] });
      expect((await peer.call('list_directory', { path: `${share}\\sub` })).isError).toBe(false);
      expect(
        (
          await peer.call('read_text_file', {
            path: files.at('A.TXT').replaceAll('\\', '/').toLowerCase(),
          })
        ).isError,
      ).toBe(false);
      const refused = [
        await peer.call('write_file', { path: `${files.at('f.txt')}:ads`, content: 'x' }),
        await peer.call('read_text_file', { path: files.at('CON') }),
        await peer.call('read_text_file', { path: String.raw`\\?\C:\Windows\win.ini` }),
      ];
      expect(refused.map(({ isError }) => isError)).toEqual([true, true, true]);
    },
  );

  // The spellings themselves are tested by the rules of Windows in parse-path.test.ts.
  test.runIf(process.platform !== 'win32')(
    'FS-54 gets an error for the paths of Windows on another system, and makes no file',
    async () => {
      await using files = await prepare({ 'A.TXT': 'x', 'f.txt': 'x' });
      const peer = await files.serve(era);
      const refused = [
        await peer.call('list_directory', { path: String.raw`\\srv\share\dir\sub` }),
        await peer.call('read_text_file', { path: 'c:/data/A.TXT' }),
        await peer.call('write_file', { path: String.raw`C:\Work\f.txt:ads`, content: 'x' }),
        await peer.call('read_text_file', { path: String.raw`C:\Work\CON` }),
        await peer.call('read_text_file', { path: String.raw`\\?\C:\Windows\win.ini` }),
      ];
      expect(refused.map(({ isError }) => isError)).toEqual([true, true, true, true, true]);
      expect(readdirSync(files.root)).toEqual(['A.TXT', 'f.txt']);
    },
  );

  // A file system that ignores case is emulated in sandbox.test.ts.
  test.runIf(process.platform === 'linux')(
    'FS-55 finds no file by another case where the file system keeps case',
    async () => {
      await using files = await prepare({ 'A.txt': 'x', 'b.TXT': 'x', 'B.txt': 'x' });
      const peer = await files.serve(era, {});
      await subscribe(peer, era, pathToFileURL(files.at('B.txt')).href);
      const edit = (path: string) =>
        peer.call('edit_file', { path, edits: [{ oldText: 'x', newText: 'y' }] });
      const root = await peer.call('read_text_file', {
        path: `${files.root.toUpperCase()}/A.txt`,
      });
      expect([root.isError, (await edit('a.TXT')).isError]).toEqual([true, true]);
      expect(readFileSync(files.at('A.txt'), 'utf8')).toBe('x');
      expect((await edit('b.TXT')).isError).toBe(false);
      expect(readFileSync(files.at('B.txt'), 'utf8')).toBe('x');
      await peer.request('tools/list');
      expect(peer.notifications.filter(isUpdate)).toEqual([]);
      expect((await edit('B.txt')).isError).toBe(false);
      await peer.notified(isUpdate);
      expect(peer.notifications.filter(isUpdate)).toHaveLength(1);
    },
  );

  test.runIf(process.platform === 'win32' || process.platform === 'darwin')(
    'FS-55 reaches a file by another case where the file system ignores case',
    async () => {
      await using files = await prepare({ 'A.txt': 'x' });
      const peer = await files.serve(era);
      expect(
        (await peer.call('read_text_file', { path: `${files.root.toUpperCase()}/a.TXT` })).text,
      ).toBe('x');
      const uri = pathToFileURL(files.at('A.txt')).href;
      await subscribe(peer, era, uri);
      expect(
        (await peer.call('edit_file', { path: 'a.TXT', edits: [{ oldText: 'x', newText: 'y' }] }))
          .isError,
      ).toBe(false);
      expect(readFileSync(files.at('A.txt'), 'utf8')).toBe('y');
      expect((await peer.notified(isUpdate))['params']).toMatchObject({ uri });
    },
  );
});
