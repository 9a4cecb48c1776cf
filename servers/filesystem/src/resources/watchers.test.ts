import {
  appendFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { createTemporaryFolders, type TemporaryFolders } from '@signalbox/file-sandbox/testing';
import { chooseOpener } from '@signalbox/file-sandbox';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { DirectoryListener, OpenDirectoryWatch } from './directory-watches.ts';
import { Watchers, type WatchTarget } from './watchers.ts';

const opener = await chooseOpener('/');

let folders: TemporaryFolders;
let watchers: Watchers;
let warnings: string[];

beforeEach(async () => {
  folders = await createTemporaryFolders({ root: { 'a.txt': '0', 'd/x': '', 'd/sub/y': '' } });
  warnings = [];
  watchers = new Watchers({ opener, warn: (message) => warnings.push(message) });
});

afterEach(async () => {
  watchers.close();
  await folders[Symbol.asyncDispose]();
});

function inRoot(realPath: string): WatchTarget {
  return { realPath, within: folders.root };
}

interface Counter {
  readonly count: number;
  /** Runs the change and waits for one more notification. */
  after(change: () => Promise<unknown>): Promise<void>;
  readonly onChange: () => void;
}

function createCounter(): Counter {
  let count = 0;
  let expected: { readonly count: number; readonly resolve: () => void } | undefined;
  return {
    get count() {
      return count;
    },
    async after(change) {
      const came = Promise.withResolvers<void>();
      expected = { count: count + 1, resolve: came.resolve };
      await change();
      await came.promise;
    },
    onChange() {
      count++;
      if (expected !== undefined && count >= expected.count) expected.resolve();
    },
  };
}

describe('a watched file', () => {
  test('is reported when written, renamed over, deleted and created again', async () => {
    const file = path.join(folders.root, 'a.txt');
    const counter = createCounter();
    await watchers.watch(inRoot(file), counter.onChange);
    const replace = async (content: string) => {
      await writeFile(`${file}.new`, content);
      await rename(`${file}.new`, file);
    };
    await counter.after(() => writeFile(file, '1'));
    await counter.after(() => replace('2'));
    await counter.after(() => replace('three'));
    await counter.after(() => unlink(file));
    await counter.after(() => writeFile(file, 'back'));
    await counter.after(() => appendFile(file, ' again'));
    expect(counter.count).toBeGreaterThanOrEqual(6);
    expect(warnings).toEqual([]);
  });

  test('may be missing together with its directory', async () => {
    const counter = createCounter();
    await watchers.watch(inRoot(path.join(folders.root, 'n1/n2/f.txt')), counter.onChange);
    await mkdir(path.join(folders.root, 'n1/n2'), { recursive: true });
    await counter.after(() => writeFile(path.join(folders.root, 'n1/n2/f.txt'), 'x'));
    await counter.after(() => rm(path.join(folders.root, 'n1'), { recursive: true }));
    expect(warnings).toEqual([]);
  });

  test('many writes are one notification in 100 ms', async () => {
    const file = path.join(folders.root, 'a.txt');
    const counter = createCounter();
    await watchers.watch(inRoot(file), counter.onChange);
    const startedAt = performance.now();
    await counter.after(async () => {
      for (let write = 0; write < 100; write++) await writeFile(file, `${write}`);
    });
    expect(counter.count).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - startedAt) / 100));
  });

  test('is not confused with its neighbours', async () => {
    const file = path.join(folders.root, 'a.txt');
    const counter = createCounter();
    await watchers.watch(inRoot(file), counter.onChange);
    await writeFile(path.join(folders.root, 'b.txt'), 'neighbour');
    await counter.after(() => writeFile(file, '1'));
    expect(counter.count).toBe(1);
  });
});

describe('a watched directory', () => {
  test('is reported for its own entries only', async () => {
    const directory = path.join(folders.root, 'd');
    const counter = createCounter();
    await watchers.watch(inRoot(directory), counter.onChange);
    await writeFile(path.join(directory, 'sub/z'), 'deeper');
    await writeFile(path.join(directory, 'x'), 'content of an entry');
    await counter.after(() => writeFile(path.join(directory, 'new'), ''));
    expect(counter.count).toBe(1);
    await counter.after(() => unlink(path.join(directory, 'new')));
    await counter.after(() => mkdir(path.join(directory, 'folder')));
  });

  test('is reported again after it was deleted and created', async () => {
    const directory = path.join(folders.root, 'd');
    const counter = createCounter();
    await watchers.watch(inRoot(directory), counter.onChange);
    await counter.after(() => rm(directory, { recursive: true }));
    await counter.after(() => mkdir(directory));
    await counter.after(() => writeFile(path.join(directory, 'q'), ''));
    expect(warnings).toEqual([]);
  });

  test('follows no link', async () => {
    const directory = path.join(folders.root, 'd');
    await symlink(folders.outside, path.join(directory, 'out'));
    const counter = createCounter();
    await watchers.watch(inRoot(directory), counter.onChange);
    await writeFile(path.join(folders.outside, 'secret.txt'), '');
    await counter.after(() => writeFile(path.join(directory, 'new'), ''));
    expect(counter.count).toBe(1);
  });
});

test('one watcher serves every listener of a path, until the last one stops', async () => {
  const file = path.join(folders.root, 'a.txt');
  const [first, second] = [createCounter(), createCounter()];
  const stopFirst = await watchers.watch(inRoot(file), first.onChange);
  const stopSecond = await watchers.watch(inRoot(file), second.onChange);
  expect(watchers.size).toBe(1);
  await second.after(() => first.after(() => writeFile(file, '1')));
  stopFirst();
  await second.after(() => writeFile(file, '2'));
  expect([first.count, second.count]).toEqual([1, 2]);
  stopSecond();
  stopSecond();
  expect(watchers.size).toBe(0);
});

test('a path over the limit is refused with the name of the option', async () => {
  await using others = await createTemporaryFolders({ root: { a: '', b: '' } });
  const few = new Watchers({ opener, maxPaths: 1, warn: () => undefined });
  const stop = await few.watch(
    { realPath: path.join(others.root, 'a'), within: others.root },
    () => undefined,
  );
  await few.watch({ realPath: path.join(others.root, 'a'), within: others.root }, () => undefined);
  await expect(
    few.watch({ realPath: path.join(others.root, 'b'), within: others.root }, () => undefined),
  ).rejects.toThrow('at most 1 paths');
  stop();
  few.close();
});

test('a file is watched again when a directory above it was moved away and back, or replaced', async () => {
  const file = path.join(folders.root, 'd/sub/y');
  const counter = createCounter();
  await watchers.watch(inRoot(file), counter.onChange);
  await counter.after(() => rename(path.join(folders.root, 'd'), path.join(folders.outside, 'd')));
  await writeFile(path.join(folders.outside, 'd/sub/y'), 'written while away');
  await counter.after(() => rename(path.join(folders.outside, 'd'), path.join(folders.root, 'd')));
  await counter.after(() => writeFile(file, 'back'));
  await rename(path.join(folders.root, 'd'), path.join(folders.root, 'old'));
  await counter.after(() => mkdir(path.join(folders.root, 'd/sub'), { recursive: true }));
  await counter.after(() => writeFile(file, 'in the new one'));
  expect(counter.count).toBeGreaterThanOrEqual(5);
  expect(warnings).toEqual([]);
});

test('the allowed directory itself can be deleted and created again', async () => {
  const quick = new Watchers({ opener, pollIntervalMs: 20, coalesceMs: 20, warn: () => undefined });
  onTestFinished(() => quick.close());
  const [directory, file] = [createCounter(), createCounter()];
  await quick.watch(inRoot(folders.root), directory.onChange);
  await quick.watch(inRoot(path.join(folders.root, 'a.txt')), file.onChange);
  await file.after(() => directory.after(() => rm(folders.root, { recursive: true })));
  await directory.after(() => mkdir(folders.root));
  await file.after(() =>
    directory.after(() => writeFile(path.join(folders.root, 'a.txt'), 'again')),
  );
  expect(directory.count).toBeGreaterThanOrEqual(3);
  expect(file.count).toBeGreaterThanOrEqual(2);
});

test('a directory that was deleted and created with the same inode number is watched again', async () => {
  const opened: DirectoryListener[] = [];
  const open: OpenDirectoryWatch = (_directory, listener) => {
    opened.push(listener);
    return { close: () => undefined };
  };
  const reused = new Watchers({ opener, coalesceMs: 10, warn: () => undefined, open });
  onTestFinished(() => reused.close());
  const counter = createCounter();
  await reused.watch(inRoot(folders.root), counter.onChange);
  await counter.after(async () => Promise.resolve(opened[0]!('rename', 'entry')));
  expect(opened).toHaveLength(1);
  // The event of the directory itself reports its deletion; the new directory has the same
  // identity.
  await counter.after(async () => Promise.resolve(opened[0]!('rename', undefined)));
  expect(opened).toHaveLength(2);
  await counter.after(async () => Promise.resolve(opened[1]!('rename', 'entry')));
  expect(opened).toHaveLength(2);
});

describe('where the system does not report changes', () => {
  test.each(['ENOSPC', 'EMFILE', 'EACCES'])(
    '(%s) paths are looked at instead, with one warning',
    async (code) => {
      const open = () => {
        throw Object.assign(new Error(`${code}: no more watches`), { code });
      };
      const polling = new Watchers({
        opener,
        pollIntervalMs: 20,
        warn: (message) => warnings.push(message),
        open,
      });
      onTestFinished(() => polling.close());
      const [file, directory] = [createCounter(), createCounter()];
      await polling.watch(inRoot(path.join(folders.root, 'a.txt')), file.onChange);
      await polling.watch(inRoot(path.join(folders.root, 'd')), directory.onChange);
      await file.after(() => writeFile(path.join(folders.root, 'a.txt'), 'longer than before'));
      await file.after(() => unlink(path.join(folders.root, 'a.txt')));
      await directory.after(() => writeFile(path.join(folders.root, 'd/new'), ''));
      expect(warnings).toEqual([expect.stringContaining(code)]);
    },
  );

  test('(--watch polling) nothing is watched by the system', async () => {
    const open = () => {
      throw new Error('asked the system');
    };
    const polling = new Watchers({
      opener,
      mode: 'polling',
      pollIntervalMs: 20,
      warn: (message) => warnings.push(message),
      open,
    });
    onTestFinished(() => polling.close());
    const counter = createCounter();
    await polling.watch(inRoot(path.join(folders.root, 'n/new.txt')), counter.onChange);
    await mkdir(path.join(folders.root, 'n'));
    await counter.after(() => writeFile(path.join(folders.root, 'n/new.txt'), ''));
    expect(warnings).toEqual([]);
  });

  test('(a watch that fails later) it is opened again', async () => {
    const opened: { directory: string; fail: () => void; isClosed: boolean }[] = [];
    const open: OpenDirectoryWatch = ({ realPath: directory }, _listener, fail) => {
      const one = { directory, fail, isClosed: false };
      opened.push(one);
      return { close: () => (one.isClosed = true) };
    };
    const failing = new Watchers({ opener, coalesceMs: 10, warn: () => undefined, open });
    onTestFinished(() => failing.close());
    const counter = createCounter();
    await failing.watch(inRoot(path.join(folders.root, 'a.txt')), counter.onChange);
    expect(opened.map(({ directory }) => directory)).toEqual([folders.root]);
    await counter.after(async () => {
      await writeFile(path.join(folders.root, 'a.txt'), 'not told by the system');
      opened[0]!.fail();
    });
    await expect.poll(() => opened.length).toBe(2);
    expect(opened.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  });

  test('(--watch off) a subscription is refused', async () => {
    const off = new Watchers({ opener, mode: 'off', warn: () => undefined });
    await expect(off.watch(inRoot(folders.root), () => undefined)).rejects.toThrow('--watch off');
  });
});

test('many files of one directory cost one watch of the system', async () => {
  const opened: string[] = [];
  const open: OpenDirectoryWatch = ({ realPath: directory }) => {
    opened.push(directory);
    return { close: () => opened.splice(opened.indexOf(directory), 1) };
  };
  const counting = new Watchers({ opener, warn: () => undefined, open });
  const names = Array.from({ length: 50 }, (_, index) => path.join(folders.root, 'd', `f${index}`));
  const stops = await Promise.all(
    names.map((name) => counting.watch(inRoot(name), () => undefined)),
  );
  expect(opened).toEqual([folders.root, path.join(folders.root, 'd')]);
  for (const stop of stops) stop();
  expect(opened).toEqual([]);
});

test.runIf(process.platform === 'linux').each(['native', 'polling'] as const)(
  '(%s) a directory on the way that becomes a link is no longer watched, nor what is there now',
  async (mode) => {
    await mkdir(path.join(folders.outside, 'sub'));
    const file = path.join(folders.root, 'd/sub/y');
    await writeFile(path.join(folders.outside, 'sub/y'), 'outside');
    const watching = new Watchers({
      opener,
      mode,
      pollIntervalMs: 20,
      coalesceMs: 20,
      warn: () => undefined,
    });
    onTestFinished(() => watching.close());
    const [counter, witness] = [createCounter(), createCounter()];
    await watching.watch(inRoot(file), counter.onChange);
    await watching.watch(inRoot(path.join(folders.root, 'witness')), witness.onChange);
    await counter.after(async () => {
      await rename(path.join(folders.root, 'd'), path.join(folders.root, 'old'));
      await symlink(folders.outside, path.join(folders.root, 'd'));
    });
    const seen = counter.count;
    const inodes = await watchedInodes();
    for (const outside of [folders.outside, path.join(folders.outside, 'sub')])
      expect(inodes).not.toContain((await stat(outside)).ino);
    await writeFile(path.join(folders.outside, 'sub/y'), 'changed outside');
    await unlink(path.join(folders.outside, 'sub/y'));
    // Notifications arrive in the order of their events: this one comes later.
    await witness.after(() => writeFile(path.join(folders.root, 'witness'), ''));
    await witness.after(() => unlink(path.join(folders.root, 'witness')));
    expect(counter.count).toBe(seen);
    await counter.after(async () => {
      await unlink(path.join(folders.root, 'd'));
      await rename(path.join(folders.root, 'old'), path.join(folders.root, 'd'));
    });
  },
);

/** Returns the inodes that the inotify instances of this process watch. */
async function watchedInodes(): Promise<readonly number[]> {
  const infos = await Promise.all(
    (await readdir('/proc/self/fdinfo')).map((name) =>
      readFile(`/proc/self/fdinfo/${name}`, 'utf8').catch(() => ''),
    ),
  );
  return infos.flatMap((info) =>
    Array.from(info.matchAll(/^inotify .*ino:([0-9a-f]+)/gm), ([, ino]) =>
      Number.parseInt(ino ?? '', 16),
    ),
  );
}
