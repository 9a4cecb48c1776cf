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
export { loginRequestOf } from './authorization-error.ts';
export type { LoginMethod, LoginReason, LoginRequest, LoginTarget } from './login-request.ts';
export {
  beginDeviceLogin,
  beginLogin,
  finishDeviceLogin,
  finishLogin,
  logOut,
  type DeviceLogin,
  type LoginOptions,
  type PendingDeviceLogin,
  type PendingLogin,
  type PendingLoginBase,
} from './login.ts';
