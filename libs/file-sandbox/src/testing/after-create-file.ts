import type { Opener, PinnedPath } from '../opener/pinned-path.ts';
import { bound } from './bound.ts';

/**
 * Wraps an opener for tests: calls `meddle` after each created file, like another program that acts
 * before the rename.
 */
export function afterCreateFile(opener: Opener, meddle: () => void): Opener {
  const meddling = (pinned: PinnedPath): PinnedPath =>
    new Proxy(pinned, {
      get(target, property) {
        if (property === 'createFile') {
          return async (name: string, mode: number) => {
            const handle = await target.createFile(name, mode);
            meddle();
            return handle;
          };
        }
        const value: unknown = Reflect.get(target, property, target);
        return typeof value === 'function' ? bound(target, value) : value;
      },
    });
  return { ...opener, pin: async (given, options) => meddling(await opener.pin(given, options)) };
}
