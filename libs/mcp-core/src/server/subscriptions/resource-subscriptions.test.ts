import { describe, expect, test } from 'vitest';
import { createTestContext } from '../../testing/test-context.ts';
import { ResourceWatches } from './resource-subscriptions.ts';
import type { ResourceProvider } from '../resources/resource-provider.ts';

function provide(subscribe: ResourceProvider['subscribe']): ResourceProvider {
  return {
    list: () => Promise.resolve({ resources: [] }),
    read: () => Promise.resolve({ contents: [] }),
    ...(subscribe === undefined ? {} : { subscribe }),
  };
}

describe('ResourceWatches', () => {
  test('attaches once for concurrent subscriptions', async () => {
    let attached = 0;
    const provider = provide(() => {
      attached += 1;
      return Promise.resolve(() => undefined);
    });
    const watches = new ResourceWatches(provider, () => undefined);
    await Promise.all([
      watches.add('a', createTestContext()),
      watches.add('a', createTestContext()),
    ]);
    expect(attached).toBe(1);
  });

  test('holds 10,000 at most, and makes room for each that is removed', async () => {
    const watches = new ResourceWatches(
      provide(() => Promise.resolve(() => undefined)),
      () => undefined,
    );
    for (let index = 0; index < 10_000; index += 1)
      await watches.add(String(index), createTestContext());
    await expect(watches.add('more', createTestContext())).rejects.toMatchObject({ code: -32602 });
    await watches.add('0', createTestContext());
    await watches.remove('0');
    await watches.add('more', createTestContext());
    expect(watches.has('more')).toBe(true);
  });

  test('detaches at once what is attached after the end', async () => {
    const detached: string[] = [];
    const watches = new ResourceWatches(
      provide((uri) => Promise.resolve(() => void detached.push(uri))),
      () => undefined,
    );
    await watches.end();
    await watches.add('a', createTestContext());
    expect(detached).toEqual(['a']);
    expect(watches.has('a')).toBe(false);
  });

  test('detaches everything although one detaching fails, and reports that', async () => {
    const detached: string[] = [];
    const errors: unknown[] = [];
    const provider = provide((uri) =>
      Promise.resolve(() =>
        uri === 'a' ? Promise.reject(new Error('stuck')) : void detached.push(uri),
      ),
    );
    const watches = new ResourceWatches(provider, (error) => errors.push(error));
    for (const uri of ['a', 'b']) await watches.add(uri, createTestContext());
    await watches.end();
    expect(detached).toEqual(['b']);
    expect(errors).toMatchObject([{ message: 'stuck' }]);
  });

  test('ends while a watcher is refused without reporting the refusal, which its subscriber gets', async () => {
    const errors: unknown[] = [];
    const attaching = Promise.withResolvers<() => void>();
    const watches = new ResourceWatches(
      provide(() => attaching.promise),
      (error) => errors.push(error),
    );
    const adding = watches.add('a', createTestContext());
    const ending = watches.end();
    attaching.reject(new Error('busy'));
    await expect(adding).rejects.toThrow('busy');
    await ending;
    expect(errors).toEqual([]);
  });

  test('attaches again after a refusal', async () => {
    let tries = 0;
    const provider = provide(() => {
      tries += 1;
      return tries === 1 ? Promise.reject(new Error('busy')) : Promise.resolve(() => undefined);
    });
    const watches = new ResourceWatches(provider, () => undefined);
    await expect(watches.add('a', createTestContext())).rejects.toThrow('busy');
    await watches.add('a', createTestContext());
    expect([tries, watches.has('a')]).toEqual([2, true]);
  });
});
