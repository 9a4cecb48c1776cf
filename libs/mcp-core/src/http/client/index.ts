export { httpTransport, type HttpTransportOptions } from './http-transport.ts';
export type { EndpointOptions } from './endpoint.ts';
export type { AuthorizedRequest, HttpAuthorization, RefusedRequest } from './authorization.ts';
export type { ExtraHeaders, HeaderProvider } from './headers.ts';
export { HttpError, type HttpErrorDetails } from '../../protocol/http-error.ts';
