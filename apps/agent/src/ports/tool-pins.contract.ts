import { expect, test } from 'vitest';
import type { ToolPin, ToolPins } from './tool-pins.ts';

const pin = (tool: string, rest: Partial<ToolPin> = {}): ToolPin => ({
  server: 'a',
  tool,
  parts: { description: 'aa' },
  definition: { description: 'a' },
  firstSeenAt: 5,
  acceptedAt: undefined,
  ...rest,
});

/** Describes the behavior of every store of tool pins. `open` returns an empty store. */
export function toolPinsContract(open: () => Promise<ToolPins>): void {
  test('there are no pins at first', async () => {
    expect(await (await open()).of('a')).toEqual([]);
  });

  test('stored pins are returned by server and in the order of the names', async () => {
    const pins = await open();
    await pins.keep([
      pin('y'),
      pin('x', { parts: { description: 'bb', inputSchema: 'cc' } }),
      pin('x', { server: 'b' }),
    ]);
    expect(await pins.of('a')).toEqual([
      pin('x', { parts: { description: 'bb', inputSchema: 'cc' } }),
      pin('y'),
    ]);
    expect(await pins.of('b')).toEqual([pin('x', { server: 'b' })]);
  });

  test('a later definition replaces an earlier definition', async () => {
    const pins = await open();
    await pins.keep([pin('x'), pin('y')]);
    await pins.keep([pin('x', { parts: { title: 'dd' }, definition: undefined, acceptedAt: 9 })]);
    expect(await pins.of('a')).toEqual([
      pin('x', { parts: { title: 'dd' }, definition: undefined, acceptedAt: 9 }),
      pin('y'),
    ]);
  });

  test('storing an empty list has no effect', async () => {
    const pins = await open();
    await pins.keep([]);
    expect(await pins.of('a')).toEqual([]);
  });

  test('a thousand pins are stored at once', async () => {
    const pins = await open();
    await pins.keep(Array.from({ length: 1000 }, (_, index) => pin(`t${index}`)));
    expect(await pins.of('a')).toHaveLength(1000);
  });
}
