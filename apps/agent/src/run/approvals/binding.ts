import type { JsonObject } from '@signalbox/mcp-core';
import { digestOf } from '../../json/digest.ts';
import type { ApprovalBinding } from '../../ports/store/approval.ts';
import type { CatalogueTool } from '../../ports/tool-catalogue.ts';
import type { Uses } from '../core/engine-parts.ts';

export interface Approvable {
  readonly callId: string;
  readonly tool: CatalogueTool;
  readonly arguments: JsonObject;
}

/** Returns the facts that an approval of the call is bound to, as they are now. */
export function bindingOf(
  { policyOf }: Uses<'policyOf'>,
  { callId, tool, arguments: args }: Approvable,
): ApprovalBinding {
  // Trust belongs to the host, and the output schema does not change the effect of a call.
  const { trusted: _trusted, outputSchema: _outputSchema, ...definition } = tool;
  return {
    call: callId,
    server: policyOf(tool.server).launchDigest ?? '',
    tool: digestOf(definition),
    arguments: digestOf(args),
  };
}

/**
 * Describes the difference between the approved and the present call; undefined when the approval
 * is valid.
 */
export function driftOf(
  approved: ApprovalBinding | undefined,
  present: ApprovalBinding,
): string | undefined {
  if (approved?.call !== present.call) return 'the approved content is unknown';
  const changes = [
    ...(approved.server === present.server ? [] : ['the launch definition of the server changed']),
    ...(approved.tool === present.tool ? [] : ['the definition of the tool changed']),
    ...(approved.arguments === present.arguments ? [] : ['the arguments changed']),
  ];
  return changes.length === 0 ? undefined : `since the approval ${changes.join(', and ')}`;
}
