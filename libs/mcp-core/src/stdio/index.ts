export type { ChildTransport, ProcessExit, SpawnOptions } from './child-transport.ts';
export { spawnStdio } from './child-transport.ts';
export { stderrExcerpt } from './stderr-excerpt.ts';
export { StreamTransport } from '../jsonrpc/stream-transport.ts';
export type { StreamTransportOptions } from '../jsonrpc/stream-transport.ts';
export { serveStdio } from './serve-stdio.ts';
export type { ServeStdioOptions } from './serve-stdio.ts';
