export { createClientAuthorization } from './client-authorization.ts';
export {
  AuthorizationError,
  type AuthorizationErrorCode,
  type AuthorizationErrorDetails,
} from './authorization-error.ts';
export {
  MemoryTokenStore,
  type StoredTokens,
  type TokenKey,
  type TokenStore,
} from './token-store.ts';
export type {
  AuthorizationNetwork,
  ClientAuthorizationOptions,
  ClientRegistrationOptions,
  PreRegisteredClient,
  UserAuthorization,
  UserAuthorizationRequest,
} from './options.ts';
export type { RegisteredClient } from './registered-client.ts';
export type { IdentityProvider, MachineGrant } from './machine-grant-options.ts';
