import { expect } from 'vitest';
import type { ChangedList } from '../client-face.ts';
import { CLOCK_URI } from '../world.ts';
import type { Feature } from './feature.ts';
import { notifyUntil } from './notify-until.ts';

/**
 * Unsolicited notifications of a server. They are repeated until received: over HTTP the stream may
 * not be open yet.
 */
export const changes = {
  'announces an updated resource': async ({ face }) => {
    const updated: string[] = [];
    const stop = await face.watch(CLOCK_URI, (uri) => updated.push(uri));
    await notifyUntil(
      () => updated.length > 0,
      () => face.callTool('touch'),
    );
    expect(new Set(updated)).toEqual(new Set([CLOCK_URI]));
    await stop();
    updated.length = 0;
    await face.callTool('touch');
    await face.ping();
    expect(updated).toEqual([]);
  },
  'announces changed lists': async ({ face }) => {
    const changed = new Set<ChangedList>();
    const stop = await face.hearChanges((list) => changed.add(list));
    await notifyUntil(
      () => changed.size === 3,
      () => face.callTool('change'),
    );
    await stop();
  },
} as const satisfies { readonly [name: string]: Feature };
