import { readdir, readFile } from 'node:fs/promises';

/** Returns the inodes that the inotify instances of this process watch. */
export async function watchedInodes(): Promise<readonly number[]> {
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
