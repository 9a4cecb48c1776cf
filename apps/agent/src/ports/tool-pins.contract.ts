import { expect, test } from 'vitest';
import type { ToolPin, ToolPins } from './tool-pins.ts';

const pin = (tool: string, rest: Partial<ToolPin> = {}): ToolPin => ({
  server: 'a',
  tool,
  parts: { description: 'aa' },
  firstSeenAt: 5,
  acceptedAt: undefined,
  ...rest,
});

/** Describes the behavior of every store of tool pins. `open` returns an empty store. */
export function toolPinsContract(open: () => Promise<ToolPins>): void {
  test('nothing is known at first', async () => {
    expect(await (await open()).of('a')).toEqual([]);
  });

  test('what is kept is known, by server and in the order of the names', async () => {
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

  test('a later definition takes the place of an earlier one', async () => {
    const pins = await open();
    await pins.keep([pin('x'), pin('y')]);
    await pins.keep([pin('x', { parts: { title: 'dd' }, acceptedAt: 9 })]);
    expect(await pins.of('a')).toEqual([
      pin('x', { parts: { title: 'dd' }, acceptedAt: 9 }),
      pin('y'),
    ]);
  });

  test('keeping nothing is nothing', async () => {
    const pins = await open();
    await pins.keep([]);
    expect(await pins.of('a')).toEqual([]);
  });

  test('a thousand are kept at once', async () => {
    const pins = await open();
    await pins.keep(Array.from({ length: 1000 }, (_, index) => pin(`t${index}`)));
    expect(await pins.of('a')).toHaveLength(1000);
  });
}
