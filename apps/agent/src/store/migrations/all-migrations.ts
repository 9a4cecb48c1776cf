import { initial } from './0001-initial.ts';
import { parkedCalls } from './0002-parked-calls.ts';
import { conversations } from './0003-conversations.ts';
import { approvals } from './0004-approvals.ts';
import { toolPins } from './0005-tool-pins.ts';
import { epochs } from './0006-epochs.ts';
import { modelOutages } from './0007-model-outages.ts';
import { lists } from './0008-lists.ts';
import { cutTurns } from './0009-cut-turns.ts';
import { callCancellation } from './0010-call-cancellation.ts';
import { artifactOwners } from './0011-artifact-owners.ts';
import { retries } from './0012-retries.ts';
import { modelSettings } from './0013-model-settings.ts';
import { workers } from './0014-workers.ts';
import { fleet } from './0015-fleet.ts';
import { artifactLists } from './0016-artifact-lists.ts';
import { callFailures } from './0017-call-failures.ts';
import { traceContexts } from './0018-trace-contexts.ts';
import { webhooks } from './0019-webhooks.ts';
import { schedules } from './0020-schedules.ts';
import type { Migrations } from './migrations.ts';
import { rollingUpdates } from './0021-rolling-updates.ts';
import { fewerIndexWrites } from './0022-fewer-index-writes.ts';
import { priorities } from './0023-priorities.ts';
import { webhookChanges } from './0024-webhook-changes.ts';
import { apiKeys } from './0025-api-keys.ts';
import { callRates } from './0026-call-rates.ts';
import { singletonServers } from './0027-singleton-servers.ts';
import { scheduleKeys } from './0028-schedule-keys.ts';
import { queueOrder } from './0029-queue-order.ts';
import { secrets } from './0030-secrets.ts';
import { pinnedDefinitions } from './0031-pinned-definitions.ts';
import { agentVersions } from './0032-agent-versions.ts';
import { runTexts } from './0033-run-texts.ts';
import { auditKeys } from './0034-audit-keys.ts';
import { latencies } from './0035-latencies.ts';
import { callsByOwner } from './0036-calls-by-owner.ts';

/**
 * Ending of the name of an additive migration. Such a migration adds tables, columns that are nullable
 * or have a default, and indexes that are not unique, and nothing else.
 */
const ADDITIVE = '.additive';

/** Whether processes of earlier versions can go on using a database with the migration. */
export function isAdditive(name: string): boolean {
  return name.endsWith(ADDITIVE);
}

/**
 * All migrations by number. A published migration never changes. The name of one that processes of
 * earlier versions tolerate ends with `ADDITIVE`.
 */
export const MIGRATIONS: Migrations = {
  '0001-initial': initial,
  '0002-parked-calls': parkedCalls,
  '0003-conversations': conversations,
  '0004-approvals': approvals,
  '0005-tool-pins': toolPins,
  '0006-epochs': epochs,
  '0007-model-outages': modelOutages,
  '0008-lists': lists,
  '0009-cut-turns': cutTurns,
  '0010-call-cancellation': callCancellation,
  '0011-artifact-owners': artifactOwners,
  '0012-retries': retries,
  '0013-model-settings': modelSettings,
  '0014-workers': workers,
  '0015-fleet': fleet,
  '0016-artifact-lists': artifactLists,
  '0017-call-failures': callFailures,
  '0018-trace-contexts': traceContexts,
  '0019-webhooks': webhooks,
  '0020-schedules': schedules,
  '0021-rolling-updates': rollingUpdates,
  '0022-fewer-index-writes': fewerIndexWrites,
  '0023-priorities.additive': priorities,
  '0024-webhook-changes.additive': webhookChanges,
  '0025-api-keys.additive': apiKeys,
  '0026-call-rates.additive': callRates,
  '0027-singleton-servers.additive': singletonServers,
  '0028-schedule-keys.additive': scheduleKeys,
  '0029-queue-order.additive': queueOrder,
  '0030-secrets.additive': secrets,
  '0031-pinned-definitions.additive': pinnedDefinitions,
  '0032-agent-versions': agentVersions,
  '0033-run-texts.additive': runTexts,
  '0034-audit-keys.additive': auditKeys,
  '0035-latencies.additive': latencies,
  '0036-calls-by-owner.additive': callsByOwner,
};
