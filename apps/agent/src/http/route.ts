import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { LoggedRequest } from '../metrics/observation.ts';
import type { ServiceMetrics } from '../metrics/service-metrics.ts';
import type { LlmProviders } from '../ports/llm-providers.ts';
import type { RunCommands } from '../ports/run-engine.ts';
import type { StoreReader, Store } from '../ports/store.ts';
import type { ServerDirectory } from '../ports/server-directory.ts';
import type { SignalBus } from '../ports/signal-bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { ScheduleCommands } from '../ports/schedule-commands.ts';
import type { ServerDefinitions } from '../ports/server-definitions.ts';
import type { ServerLogins } from '../ports/server-logins.ts';
import type { WebhookCommands } from '../ports/webhook-commands.ts';
import type { ToolCatalogue } from '../ports/tool-catalogue.ts';
import type { Traces } from '../ports/traces.ts';
import type { SignalWatch } from '../signals/signal-watch.ts';
import type { FollowReader } from '../run/follow/shared-run-reader.ts';
import type { FrameEncoder } from './frame-encoder.ts';
import type { ServeOnce } from './idempotency.ts';
import type { FailedRequest } from './request-id.ts';
import type { StreamConnections } from './stream-connections.ts';
import type { StreamHeartbeats } from './stream-heartbeats.ts';
import type { StreamSlots } from './stream-slots.ts';

/** Services that the HTTP server needs. */
export interface HttpDependencies {
  readonly engine: RunCommands;
  readonly schedules: ScheduleCommands;
  readonly webhooks: WebhookCommands;
  readonly store: Store;
  readonly read: StoreReader;
  readonly bus: SignalBus;
  readonly catalogue: ToolCatalogue;
  readonly directory: ServerDirectory;
  readonly logins: ServerLogins;
  readonly definitions: ServerDefinitions;
  readonly llm: LlmProviders;
  readonly clock: Clock;
  readonly metrics: ServiceMetrics;
  /** Redis that processes share. Undefined: none is configured. */
  readonly redis?: { readonly isUp: () => Promise<boolean> } | undefined;
  /** Undefined: off. */
  readonly traces?: Pick<Traces, 'runRequested'> | undefined;
  /** Phase of the service: `ready` from the end of the start until the close begins. */
  readonly phase: () => 'starting' | 'ready' | 'closing';
  readonly version: string;
  /** Called for each request when its response has ended. */
  readonly onServed: (request: LoggedRequest) => void;
  /** Called for each failure that the client sees as `internal_error` only. */
  readonly onError: (error: unknown, request: FailedRequest) => void;
}

/** Services that routes need. */
export interface RouteDependencies extends HttpDependencies {
  readonly once: ServeOnce;
  readonly follow: FollowReader;
  readonly watch: SignalWatch;
  readonly frames: FrameEncoder;
  readonly streams: StreamSlots;
  readonly connections: StreamConnections;
  readonly heartbeats: StreamHeartbeats;
}

export type HttpApp = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>;
