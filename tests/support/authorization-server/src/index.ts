export { AuthorizationServer, startAuthorizationServer } from './authorization-server.ts';
export type { UserDecision } from './authorization-endpoint.ts';
export { MISBEHAVIORS, type Misbehavior } from './misbehavior.ts';
export type { AuthorizationServerOptions, Client, DpopPolicy } from './options.ts';
export type { ReceivedRequest } from './received-request.ts';
export type { IssuedToken } from './tokens.ts';
