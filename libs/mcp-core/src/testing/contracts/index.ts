export { taskStoreContract } from './task-store.contract.ts';
export type { TaskStoreCheck } from './task-store.contract.ts';
export { tokenStoreContract } from './token-store.contract.ts';
export type { TokenStoreCheck } from './token-store.contract.ts';
export { transportContract } from './transport.contract.ts';
export type { TransportCheck } from './transport.contract.ts';
export type {
  ServedTransport,
  StalledTransport,
  TransportContractOptions,
} from './transport-bench.contract.ts';
