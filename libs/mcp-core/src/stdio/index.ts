export type { ChildTransport, ProcessExit, SpawnOptions } from './child-transport.ts';
export { spawnStdio } from './child-transport.ts';
export { serveStdio } from './serve-stdio.ts';
export type { ServeStdioOptions } from './serve-stdio.ts';
