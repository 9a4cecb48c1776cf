export { httpTransport, type HttpTransportOptions } from './client/http-transport.ts';
export type { EndpointOptions } from './client/endpoint.ts';
export type { ExtraHeaders, HeaderProvider } from './client/headers.ts';
export { HttpError, type HttpErrorDetails } from '../protocol/http-error.ts';
