import { agentContract } from './store/agent.contract.ts';
import { approvalContract } from './store/approval.contract.ts';
import { artifactContract } from './store/artifact.contract.ts';
import { callRateContract } from './store/call-rate.contract.ts';
import { epochContract } from './store/epoch.contract.ts';
import { idempotencyContract } from './store/idempotency.contract.ts';
import { inboxContract } from './store/inbox.contract.ts';
import { messageContract } from './store/message.contract.ts';
import { progressContract } from './store/progress.contract.ts';
import { retentionContract } from './store/retention.contract.ts';
import { eventContract } from './store/run-event.contract.ts';
import { runContract } from './store/run.contract.ts';
import { runSearchContract } from './store/run-search.contract.ts';
import { threadContract } from './store/thread.contract.ts';
import { toolCallContract } from './store/tool-call.contract.ts';
import { statsContract } from './store/stats.contract.ts';
import { sweepContract } from './store/sweep.contract.ts';
import { scheduleContract } from './store/schedule.contract.ts';
import { webhookContract } from './store/webhook.contract.ts';
import { workerContract } from './store/worker.contract.ts';
import type { OpenStore } from './testing/open-for-test.ts';

/** Describes the behavior of every store adapter. */
export function storeContract(name: string, open: OpenStore): void {
  for (const contract of [
    runContract,
    runSearchContract,
    eventContract,
    messageContract,
    toolCallContract,
    callRateContract,
    inboxContract,
    approvalContract,
    threadContract,
    agentContract,
    idempotencyContract,
    artifactContract,
    epochContract,
    progressContract,
    retentionContract,
    statsContract,
    sweepContract,
    scheduleContract,
    webhookContract,
    workerContract,
  ])
    contract(name, open);
}
