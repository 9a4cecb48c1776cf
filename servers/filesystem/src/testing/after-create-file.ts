import type { Opener, PinnedPath } from '../sandbox/pinned-path.ts';

/** For tests: the opener, with `meddle` called whenever a file was created: what another program does before the file is renamed. */
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
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  return { ...opener, pin: async (given, options) => meddling(await opener.pin(given, options)) };
}
