import { copyFileSync, cpSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';

const PAGE = 'index.html';

/**
 * Replaces the built files of a web site while a service may be serving them: the page changes in one step, after the files that it names are there and before
 * the files that the earlier page named are deleted.
 */
export function replaceSite(from, to) {
  cpSync(from, to, { recursive: true, filter: (path) => basename(path) !== PAGE });
  copyFileSync(join(from, PAGE), join(to, `${PAGE}.new`));
  renameSync(join(to, `${PAGE}.new`), join(to, PAGE));
  for (const path of readdirSync(to, { recursive: true }))
    if (!existsSync(join(from, path))) rmSync(join(to, path), { recursive: true, force: true });
}
