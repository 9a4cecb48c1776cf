import type { ToolPin, ToolPins } from '../ports/tool-pins.ts';

/** Creates a store of pins in memory. */
export function memoryToolPins(): ToolPins {
  const servers = new Map<string, Map<string, ToolPin>>();
  return {
    of: (server) =>
      Promise.resolve(
        [...(servers.get(server)?.values() ?? [])].toSorted((left, right) =>
          left.tool < right.tool ? -1 : 1,
        ),
      ),
    keep: (pins) => {
      for (const pin of pins) {
        const known = servers.get(pin.server) ?? new Map<string, ToolPin>();
        servers.set(pin.server, known.set(pin.tool, pin));
      }
      return Promise.resolve();
    },
  };
}
