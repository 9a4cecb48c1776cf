import type { CatalogueTool } from '../tool-catalogue.ts';

/** A tool of the server `a`. */
export function catalogueTool(name: string): CatalogueTool {
  return {
    wireName: `a__${name}`,
    server: 'a',
    name,
    description: name,
    inputSchema: { type: 'object' },
    annotations: {},
    trusted: false,
  };
}
