import type { RunCommands } from '../ports/run-engine.ts';
import { forgetApproval } from './approvals/forget-approval.ts';
import { stopCall } from './calls/cancel-call.ts';
import type { CommandParts } from './command-parts.ts';
import { continueAfterLogin, respond } from './inbox/respond.ts';
import { createAgent, deleteAgent, replaceAgent } from './lifecycle/agents.ts';
import { cancelRun } from './lifecycle/cancel-run.ts';
import { createArtifact } from './lifecycle/create-artifact.ts';
import { checkRun, createRun } from './lifecycle/create-run.ts';
import { deleteRun } from './lifecycle/delete-run.ts';
import { forkRun } from './lifecycle/fork-run.ts';
import { resumeRun } from './lifecycle/resume-run.ts';
import { startCall } from './lifecycle/start-call.ts';
import { createThread, deleteThread, updateThread } from './lifecycle/threads.ts';
import { updateMetadata } from './lifecycle/update-metadata.ts';

/** Creates the commands for runs. They only change the store; workers continue the runs. */
export function createRunCommands(parts: CommandParts): RunCommands {
  return {
    createRun: (input, onCommit) => createRun(parts, input, onCommit),
    checkRun: (input) => checkRun(parts, input),
    startCall: (input, onCommit) => startCall(parts, input, onCommit),
    forkRun: (id, fork, onCommit) => forkRun(parts, id, { ...fork, onCommit }),
    cancelRun: (id, reason, onCommit) => cancelRun(parts, id, { reason, onCommit }),
    resumeRun: (id, limits, onCommit) => resumeRun(parts, id, { limits, onCommit }),
    cancelCall: (call, onCommit) => stopCall(parts, call, onCommit),
    deleteRun: (id, check) => deleteRun(parts, id, check),
    updateMetadata: (id, change) => updateMetadata(parts, id, change),
    createArtifact: (input, onCommit) => createArtifact(parts, input, onCommit),
    createThread: (details, onCommit) => createThread(parts, details, onCommit),
    updateThread: (id, change) => updateThread(parts, id, change),
    deleteThread: (id, check) => deleteThread(parts, id, check),
    createAgent: (definition, onCommit) => createAgent(parts, definition, onCommit),
    replaceAgent: (id, definition, check) => replaceAgent(parts, id, definition, check),
    deleteAgent: (id, check) => deleteAgent(parts, id, check),
    respond: (itemId, response, onCommit) =>
      respond(parts, itemId, { answer: { ...response }, onCommit }),
    continueAfterLogin: (server) => continueAfterLogin(parts, server),
    forgetApproval: (id) => forgetApproval(parts, id),
  };
}
