import type { CallToolResult } from '@signalbox/mcp-core';

const ARTIFACT_KEY = 'dev.signalbox/artifact';

/** The artifact that has all of a shortened result. */
export function artifactIdOf({ _meta }: CallToolResult): string | undefined {
  const id = _meta?.[ARTIFACT_KEY];
  return typeof id === 'string' ? id : undefined;
}
