export { connectInMemory } from './connect-in-memory.ts';
export { createInMemoryTransports } from './in-memory-transport.ts';
export { runInBothEras } from './run-in-both-eras.ts';
export type { RunInBothEras, RunInBothErasOptions, ToolUnderTest } from './run-in-both-eras.ts';
export { createTestContext } from './test-context.ts';
export type { TestContext, TestContextOptions } from './test-context.ts';
export { taskStoreContract } from './task-store.contract.ts';
export type { TaskStoreCheck } from './task-store.contract.ts';
export { transportContract } from './transport.contract.ts';
export type { TransportCheck } from './transport.contract.ts';
export type {
  ServedTransport,
  StalledTransport,
  TransportContractOptions,
} from './transport-bench.contract.ts';
