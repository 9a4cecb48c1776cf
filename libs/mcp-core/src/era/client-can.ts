import type { ClientCapabilities, ClientCapability } from '../protocol/capabilities.ts';
import { ErrorCode, ProtocolError } from '../protocol/errors.ts';
import { TASKS_EXTENSION } from '../protocol/tasks.ts';
import type { Revision } from './revision.ts';

/** Whether the client declared a capability that the revision has. */
export function clientCan(
  revision: Revision,
  capabilities: ClientCapabilities,
  capability: ClientCapability,
): boolean {
  const { elicitation } = capabilities;
  switch (capability) {
    case 'roots':
      return capabilities.roots !== undefined;
    case 'sampling':
      return capabilities.sampling !== undefined;
    case 'sampling.tools':
      return revision.hasSamplingBlocks && capabilities.sampling?.tools !== undefined;
    case 'sampling.context':
      return revision.hasSamplingBlocks
        ? capabilities.sampling?.context !== undefined
        : capabilities.sampling !== undefined;
    case 'elicitation':
      return revision.elicitation !== 'none' && elicitation !== undefined;
    case 'elicitation.form':
      return (
        revision.elicitation !== 'none' &&
        elicitation !== undefined &&
        (elicitation.form !== undefined || elicitation.url === undefined)
      );
    case 'elicitation.url':
      return revision.elicitation === 'form-and-url' && elicitation?.url !== undefined;
    case 'tasks':
      return (
        revision.tasks === 'extension' && capabilities.extensions?.[TASKS_EXTENSION] !== undefined
      );
    default:
      return capability satisfies never;
  }
}

/** Returns the error for a request that needs a missing client capability. */
export function missingCapabilityError(capability: ClientCapability): ProtocolError {
  return new ProtocolError(
    ErrorCode.missingClientCapability,
    `This needs a client with the capability ${capability}, which this client did not declare or cannot use here`,
    {
      data: { requiredCapabilities: requiredCapabilities(capability) },
    },
  );
}

function requiredCapabilities(capability: ClientCapability): ClientCapabilities {
  if (capability === 'tasks') return { extensions: { [TASKS_EXTENSION]: {} } };
  const [feature = capability, mode] = capability.split('.');
  return { [feature]: mode === undefined ? {} : { [mode]: {} } };
}
