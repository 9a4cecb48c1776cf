import type { Config } from '../config/config.ts';
import type { ServerEditing } from '../config/server-editing.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Store } from '../ports/store.ts';
import type { SignalBus } from '../ports/signal-bus.ts';
import type { CrashPoints } from '../ports/test-hooks.ts';
import type { RecoveryDecision } from '../run/core/engine-parts.ts';
import type { Migrations } from '../store/migrations/migrations.ts';
import type { Resolve } from '@signalbox/mcp-core/http/addresses';
import type { LlmProviders } from '../ports/llm-providers.ts';

/** Hooks for tests that end the service at a crash point, disable a guard or run many services in one process. */
export interface TestHooks {
  readonly crashPoints?: CrashPoints;
  readonly recovery?: RecoveryDecision;
  readonly store?: (store: Store) => Store;
  /** Replaces the bus, whose signals of other processes it gets as well. */
  readonly bus?: (bus: SignalBus) => SignalBus;
  /** Replaces the clock of everything except the store, which measures leases. */
  readonly clock?: (clock: Clock) => Clock;
  /** Replaces the resolver of the names of webhooks. */
  readonly resolve?: Resolve;
  /** Migrations of a later version, for PostgreSQL. */
  readonly furtherMigrations?: Migrations;
  /** Whether the service uses one thread for schemas with the others of this process, which stays when it ends. Default: no. */
  readonly sharesSchemaThread?: boolean;
}

export interface AppOptions {
  readonly config: Config;
  readonly version: string;
  readonly logger: Logger;
  /** Changes of servers by the REST API, for a process with the role `all`. Default: none. */
  readonly serverEditing?: ServerEditing | undefined;
  /** Whether scripted answers keep the pace of their scenario. Default: true. */
  readonly paced?: boolean;
  readonly hooks?: TestHooks;
}

/** A process of the service. */
export interface Service {
  readonly llm: LlmProviders;
  /**
   * Starts the process and its HTTP server. Resolves with the base URL, or with undefined for a
   * worker without a port for its probes.
   */
  listen(): Promise<string | undefined>;
  /** Stops the HTTP server and the work in progress, and every server process. */
  close(): Promise<void>;
}
