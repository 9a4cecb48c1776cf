export type { ChildTransport, ProcessExit, SpawnOptions } from './child-transport.ts';
export { spawnStdio } from './child-transport.ts';
