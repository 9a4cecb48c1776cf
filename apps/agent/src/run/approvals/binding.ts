import type { JsonObject } from '@signalbox/mcp-core';
import { digestOf } from '../../canonical-json.ts';
import type { ApprovalBinding } from '../../ports/run-store.ts';
import type { CatalogueTool } from '../../ports/tool-registry.ts';
import type { Uses } from '../core/engine-parts.ts';

export interface Approvable {
  readonly callId: string;
  readonly tool: CatalogueTool;
  readonly arguments: JsonObject;
}

/** What an approval of the call is good for, as things are at present. */
export function bindingOf(
  { policyOf }: Uses<'policyOf'>,
  { callId, tool, arguments: args }: Approvable,
): ApprovalBinding {
  // The first is the host's affair, the second says nothing of what a call does.
  const { trusted: _trusted, outputSchema: _outputSchema, ...definition } = tool;
  return {
    call: callId,
    server: policyOf(tool.server).launchDigest ?? '',
    tool: digestOf(definition),
    arguments: digestOf(args),
  };
}

/** What is different from what was approved, for people; nothing when the approval is good. */
export function driftOf(
  approved: ApprovalBinding | undefined,
  present: ApprovalBinding,
): string | undefined {
  if (approved?.call !== present.call) return 'it is not known what was approved';
  const changes = [
    ...(approved.server === present.server ? [] : ['the server is started in another way']),
    ...(approved.tool === present.tool ? [] : ['the server describes the tool in another way']),
    ...(approved.arguments === present.arguments ? [] : ['the arguments are others']),
  ];
  return changes.length === 0 ? undefined : `since it was approved ${changes.join(', and ')}`;
}
