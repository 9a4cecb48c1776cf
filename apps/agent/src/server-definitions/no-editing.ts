import { DefinitionError, type ServerDefinitions } from '../ports/server-definitions.ts';

/** Returns the refusal of a service whose servers cannot be changed by the API. */
export function editingOff(): DefinitionError {
  return new DefinitionError(
    'server_editing_off',
    'servers cannot be changed by the API of this service; start it with --edit-servers remote or --edit-servers all, or set edit_servers in the configuration',
  );
}

function refuse(): never {
  throw editingOff();
}

/** Definitions of a service whose servers cannot be changed by the API. */
export const noEditing: ServerDefinitions = {
  mode: 'off',
  describe: () => undefined,
  get: refuse,
  put: async () => refuse(),
  remove: async () => refuse(),
};
