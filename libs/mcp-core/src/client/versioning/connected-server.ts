import type { Era, ProtocolVersion } from '../../era/versions.ts';
import type { ServerCapabilities } from '../../protocol/capabilities.ts';
import type { Implementation } from '../../protocol/implementation.ts';

/** The server of the current connection, as it described itself. */
export interface ConnectedServer {
  readonly info: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
  readonly protocolVersion: ProtocolVersion;
  /** May be stored and passed as `ClientOptions.era.first`. */
  readonly era: Era;
}
