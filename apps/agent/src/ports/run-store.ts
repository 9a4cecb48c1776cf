export type {
  Store as RunStore,
  StoreReader as RunReader,
  StoreTransaction as RunTransaction,
} from './store.ts';
export * from './store/approval.ts';
export * from './store/audit.ts';
export * from './store/errors.ts';
export * from './store/inbox.ts';
export * from './store/message.ts';
export * from './store/run-event.ts';
export type {
  ModelOutage,
  Run,
  RunError,
  RunLimits,
  RunPatch,
  RunStatus,
  RunWriter,
} from './store/run.ts';
export { isSettled, RUN_STATUSES, SETTLED_STATUSES, UNSETTLED_STATUSES } from './store/run.ts';
export * from './store/tool-call.ts';
export type { Page } from './store/page.ts';
