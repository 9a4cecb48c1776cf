import { realpathSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { appendFile, mkdir, rename, rm, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import path from 'node:path';
import { watch as chokidarWatch } from 'chokidar';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { chooseOpener } from '@signalbox/file-sandbox';
import { createTemporaryFolders, type TemporaryFolders } from '@signalbox/file-sandbox/testing';
import { watchedInodes } from '../testing/watched-inodes.ts';
import { DirectoryWatches, type OpenWatcher } from './directory-watches.ts';
import { maxTreeDirectories } from './path-watch.ts';
import { Watchers, type WatchersOptions, type WatchTarget } from './watchers.ts';

const opener = await chooseOpener('/');

let folders: TemporaryFolders;
let watchers: Watchers;
let warnings: string[];

beforeEach(async () => {
  folders = await createTemporaryFolders({ root: { 'a.txt': '0', 'd/x': '', 'd/sub/y': '' } });
  warnings = [];
  watchers = createWatchers();
});

afterEach(async () => {
  watchers.close();
  await folders[Symbol.asyncDispose]();
});

interface TestOptions extends Partial<WatchersOptions> {
  /** Replaces chokidar. */
  readonly open?: OpenWatcher;
}

/** Creates watchers that are closed when the test ends. */
function createWatchers({ open, ...options }: TestOptions = {}): Watchers {
  const warn = (message: string) => void warnings.push(message);
  const load = open && (() => Promise.resolve(open));
  const directories = new DirectoryWatches({ opener, warn, ...(load && { load }) });
  return new Watchers({ opener, directories, ...options });
}

/** A watcher that reports nothing by itself. */
function silentWatcher(): ReturnType<OpenWatcher> {
  const watcher = new EventEmitter();
  setImmediate(() => watcher.emit('ready'));
  return Object.assign(watcher, {
    close: () => Promise.resolve(),
    getWatched: () => ({}),
  }) as unknown as ReturnType<OpenWatcher>;
}

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

test('a path over the limit is refused with the name of the option, and the first is in the log', async () => {
  await using others = await createTemporaryFolders({ root: { a: '', b: '' } });
  const few = createWatchers({ maxPaths: 1, warn: (message) => warnings.push(message) });
  const stop = await few.watch(
    { realPath: path.join(others.root, 'a'), within: others.root },
    () => undefined,
  );
  await few.watch({ realPath: path.join(others.root, 'a'), within: others.root }, () => undefined);
  for (const name of ['b', 'c']) {
    await expect(
      few.watch({ realPath: path.join(others.root, name), within: others.root }, () => undefined),
    ).rejects.toThrow('at most 1 paths');
  }
  expect(warnings).toEqual([expect.stringContaining('at most 1 paths at once')]);
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
  const quick = createWatchers({ pollIntervalMs: 20, coalesceMs: 20 });
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

test('an allowed directory that is replaced at once is watched again', async () => {
  const counter = createCounter();
  await watchers.watch(inRoot(folders.root), counter.onChange);
  await counter.after(async () => {
    await rename(folders.root, `${folders.root}-old`);
    await mkdir(folders.root);
  });
  await counter.after(() => writeFile(path.join(folders.root, 'in the new one'), ''));
  await rm(`${folders.root}-old`, { recursive: true });
  expect(warnings).toEqual([]);
});

describe('where the system does not report changes', () => {
  test.each(['ENOSPC', 'EMFILE', 'EACCES'])(
    '(%s) paths are looked at instead, with one warning',
    async (code) => {
      const open = () => {
        const watcher = silentWatcher();
        const error = Object.assign(new Error(`${code}: no more watches`), { code });
        process.nextTick(() => watcher.emit('error', error));
        return watcher;
      };
      const polling = createWatchers({ pollIntervalMs: 20, open });
      onTestFinished(() => polling.close());
      const [file, directory, tree] = [createCounter(), createCounter(), createCounter()];
      await polling.watch(inRoot(path.join(folders.root, 'a.txt')), file.onChange);
      await polling.watch(inRoot(path.join(folders.root, 'd')), directory.onChange);
      await polling.watch({ ...inRoot(path.join(folders.root, 'd')), isTree: true }, tree.onChange);
      await file.after(() => writeFile(path.join(folders.root, 'a.txt'), 'longer than before'));
      await file.after(() => unlink(path.join(folders.root, 'a.txt')));
      await directory.after(() => writeFile(path.join(folders.root, 'd/new'), ''));
      await tree.after(() => writeFile(path.join(folders.root, 'd/sub/y'), 'longer than before'));
      expect(warnings).toEqual([expect.stringContaining(code)]);
    },
  );

  test('(--watch polling) nothing is watched by the system', async () => {
    const polling = createWatchers({ directories: undefined, pollIntervalMs: 20 });
    onTestFinished(() => polling.close());
    const counter = createCounter();
    await polling.watch(inRoot(path.join(folders.root, 'n/new.txt')), counter.onChange);
    await mkdir(path.join(folders.root, 'n'));
    await counter.after(() => writeFile(path.join(folders.root, 'n/new.txt'), ''));
    expect(warnings).toEqual([]);
  });

  test('(a watch that fails later) it is opened again', async () => {
    const opened: ReturnType<OpenWatcher>[] = [];
    const open = () => {
      const watcher = silentWatcher();
      opened.push(watcher);
      return watcher;
    };
    const failing = createWatchers({ coalesceMs: 10, open });
    onTestFinished(() => failing.close());
    const counter = createCounter();
    await failing.watch(inRoot(path.join(folders.root, 'a.txt')), counter.onChange);
    expect(opened).toHaveLength(1);
    await counter.after(async () => {
      await writeFile(path.join(folders.root, 'a.txt'), 'not told by the system');
      opened[0]!.emit('error', new Error('too many events'));
    });
    await expect.poll(() => opened.length).toBe(2);
  });

  test('(--watch off) a subscription is refused', async () => {
    const off = createWatchers({ isOff: true });
    await expect(off.watch(inRoot(folders.root), () => undefined)).rejects.toThrow('--watch off');
  });
});

test('many files of one directory cost one watch of the system', async () => {
  const opened: string[] = [];
  const open: OpenWatcher = (directory) => {
    opened.push(realpathSync(directory));
    return Object.assign(silentWatcher(), {
      close: () => Promise.resolve(void opened.splice(opened.indexOf(directory), 1)),
    });
  };
  const counting = createWatchers({ open });
  const names = Array.from({ length: 50 }, (_, index) => path.join(folders.root, 'd', `f${index}`));
  const stops = await Promise.all(
    names.map((name) => counting.watch(inRoot(name), () => undefined)),
  );
  expect(opened).toEqual([folders.root, path.join(folders.root, 'd')]);
  for (const stop of stops) stop();
  await expect.poll(() => opened).toEqual([]);
});

test.runIf(process.platform === 'linux').each(['native', 'polling'] as const)(
  '(%s) a directory on the way that becomes a link is no longer watched, nor what is there now',
  async (mode) => {
    await mkdir(path.join(folders.outside, 'sub'));
    const file = path.join(folders.root, 'd/sub/y');
    await writeFile(path.join(folders.outside, 'sub/y'), 'outside');
    const watching = createWatchers({
      ...(mode === 'polling' && { directories: undefined }),
      pollIntervalMs: 20,
      coalesceMs: 20,
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

test('a directory above that is replaced in one moment is noticed', async () => {
  const directory = path.join(folders.root, 'd');
  const counter = createCounter();
  await watchers.watch(inRoot(path.join(directory, 'sub/y')), counter.onChange);
  const replace = (by: () => void) =>
    counter.after(() => {
      by();
      return Promise.resolve();
    });
  await replace(() => {
    renameSync(directory, path.join(folders.root, 'old'));
    writeFileSync(directory, '');
  });
  await replace(() => {
    unlinkSync(directory);
    renameSync(path.join(folders.root, 'old'), directory);
  });
  expect(counter.count).toBeGreaterThanOrEqual(2);
  expect(warnings).toEqual([]);
});

test.runIf(process.platform === 'linux').each([
  ['the held directory', 'inside'],
  ['its path (the control)', 'outside'],
] as const)(
  'chokidar is given %s: after a swap between check and watch it watches %s',
  async (given, expected) => {
    const directory = path.join(folders.root, 'd');
    let hasSwapped = false;
    const open: OpenWatcher = (address, options) => {
      if (hasSwapped || realpathSync(address) !== directory) return chokidarWatch(address, options);
      hasSwapped = true;
      renameSync(directory, path.join(folders.root, 'old'));
      symlinkSync(folders.outside, directory);
      return chokidarWatch(given === 'the held directory' ? address : `${directory}/`, options);
    };
    const swapped = createWatchers({ open });
    onTestFinished(() => swapped.close());
    await swapped.watch(inRoot(path.join(directory, 'x')), () => undefined);
    expect(hasSwapped).toBe(true);
    const inodes = await watchedInodes();
    const outside = (await stat(folders.outside)).ino;
    expect(inodes.includes(outside) ? 'outside' : 'inside').toBe(expected);
  },
);

describe('a watched tree', () => {
  const treeOf = (realPath: string): WatchTarget => ({ ...inRoot(realPath), isTree: true });

  test('is reported for anything below it, also in directories that are new, moved or replaced', async () => {
    const top = path.join(folders.root, 'd');
    const counter = createCounter();
    await watchers.watch(treeOf(top), counter.onChange);
    await counter.after(() => writeFile(path.join(top, 'sub/y'), 'content'));
    await counter.after(() => mkdir(path.join(top, 'n1/n2'), { recursive: true }));
    await counter.after(() => writeFile(path.join(top, 'n1/n2/f'), ''));
    await counter.after(() => rename(path.join(top, 'n1'), path.join(top, 'moved')));
    await counter.after(() => appendFile(path.join(top, 'moved/n2/f'), 'more'));
    await counter.after(async () => {
      await rm(path.join(top, 'sub'), { recursive: true });
      await mkdir(path.join(top, 'sub'));
    });
    await counter.after(() => writeFile(path.join(top, 'sub/z'), ''));
    await counter.after(() => rename(top, path.join(folders.root, 'away')));
    await counter.after(() => rename(path.join(folders.root, 'away'), top));
    await counter.after(() => writeFile(path.join(top, 'moved/n2/f'), 'back'));
    expect(warnings).toEqual([]);
  });

  test('ends where a directory becomes a link, and leaves out what is hidden', async () => {
    const top = path.join(folders.root, 'd');
    await mkdir(path.join(top, 'hidden'));
    const [counter, witness] = [createCounter(), createCounter()];
    const isHidden = (realPath: string) => realPath.startsWith(path.join(top, 'hidden'));
    await watchers.watch({ ...treeOf(top), isHidden }, counter.onChange);
    await watchers.watch(inRoot(path.join(folders.root, 'witness')), witness.onChange);
    await counter.after(async () => {
      await rename(path.join(top, 'sub'), path.join(folders.root, 'was-sub'));
      await symlink(folders.outside, path.join(top, 'sub'));
    });
    const inodes = await watchedInodes();
    for (const left of [folders.outside, path.join(folders.root, 'was-sub')])
      expect(inodes).not.toContain((await stat(left)).ino);
    const seen = counter.count;
    await writeFile(path.join(folders.outside, 'x'), 'outside');
    await writeFile(path.join(folders.root, 'was-sub/y'), 'no longer in the tree');
    await writeFile(path.join(top, 'hidden/secret'), 'hidden');
    await witness.after(() => writeFile(path.join(folders.root, 'witness'), ''));
    await witness.after(() => unlink(path.join(folders.root, 'witness')));
    expect(counter.count).toBe(seen);
  });

  test('of too many directories is refused', async () => {
    const open: OpenWatcher = (directory) =>
      Object.assign(silentWatcher(), {
        getWatched: () =>
          Object.fromEntries(
            Array.from({ length: maxTreeDirectories }, (_, index) => [`${directory}n${index}`, []]),
          ),
      });
    const counting = createWatchers({ open });
    onTestFinished(() => counting.close());
    await Promise.all(
      Array.from({ length: maxTreeDirectories }, (_, index) =>
        mkdir(path.join(folders.root, 'd', `n${index}`)),
      ),
    );
    await expect(
      counting.watch(treeOf(path.join(folders.root, 'd')), () => undefined),
    ).rejects.toThrow(`more than ${maxTreeDirectories} directories`);
    expect(counting.size).toBe(0);
  });
});

test('10,000 changes are at most one notification in 100 ms for each subscription', async () => {
  const [file, directory, tree] = [createCounter(), createCounter(), createCounter()];
  await watchers.watch(inRoot(path.join(folders.root, 'd/x')), file.onChange);
  await watchers.watch(inRoot(path.join(folders.root, 'd')), directory.onChange);
  await watchers.watch({ ...inRoot(folders.root), isTree: true }, tree.onChange);
  const change = async () => {
    for (let count = 0; count < 10_000; count++) {
      const name = ['d/x', `d/new${count % 100}`, 'd/sub/y'][count % 3] ?? '';
      writeFileSync(path.join(folders.root, name), `${count}`);
      if (count % 500 === 0) await delay(1);
    }
  };
  const startedAt = performance.now();
  await file.after(() => directory.after(() => tree.after(change)));
  await tree.after(() => writeFile(path.join(folders.root, 'last'), ''));
  const most = 1 + Math.ceil((performance.now() - startedAt) / 100);
  for (const { count } of [file, directory, tree]) expect(count).toBeLessThanOrEqual(most);
});
