import type { CreateMessageParams } from '../../protocol/client-features.ts';
import { toolResultProblem } from '../../protocol/tool-result-problem.ts';
import type { RequestClient } from '../requests/request-context.ts';

/**
 * Validates the params of a sampling request, and removes `includeContext` unless the client declared `sampling.context`.
 * @throws Error when tool uses and their results do not match
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/sampling
 */
export function prepareSampling(
  params: CreateMessageParams,
  client: RequestClient,
): CreateMessageParams {
  const problem = toolResultProblem(params.messages);
  if (problem !== undefined) throw new Error(`The messages cannot be sampled: ${problem}`);
  const { includeContext, ...rest } = params;
  const isAllowed =
    includeContext === undefined || includeContext === 'none' || client.can('sampling.context');
  return isAllowed ? params : rest;
}
