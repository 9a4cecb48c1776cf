export { connectInMemory } from './connect-in-memory.ts';
export { createInMemoryTransports } from './in-memory-transport.ts';
export { runInBothEras } from './run-in-both-eras.ts';
export type { RunInBothEras, RunInBothErasOptions, ToolUnderTest } from './run-in-both-eras.ts';
export { createTestContext } from './test-context.ts';
export type { TestContext, TestContextOptions } from './test-context.ts';
