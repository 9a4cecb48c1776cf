import type { NewRun } from '../ports/run-engine.ts';
import type { RunTemplate } from '../ports/store/schedule.ts';
import { requestedSettings } from '../run/core/model-settings.ts';
import { requestedRules } from '../run/core/tool-rules.ts';
import { limitsOf } from '../run/limits/limits-data.ts';

/** Returns the run that a template describes. */
export function runOf({
  prompt,
  servers,
  model,
  limits,
  instructions,
  agent_id: agentId,
  agent_version: agentVersion,
  thread_id: threadId,
  priority,
  metadata,
  output_schema: outputSchema,
  tools,
  approvals,
  ...settings
}: RunTemplate): NewRun {
  const named = {
    servers,
    model,
    instructions,
    agentId,
    agentVersion,
    threadId,
    priority,
    metadata,
    outputSchema,
  };
  return {
    prompt,
    limits: limitsOf(limits),
    modelSettings: requestedSettings(settings),
    toolRules: requestedRules({ tools, approvals }),
    ...Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined)),
  };
}
