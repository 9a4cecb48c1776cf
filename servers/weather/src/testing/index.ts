/** Mocks of the weather services for the tests of other packages. */
export { mockServices } from './mock-services.ts';
export { currentDocument, forecastDocument, geocoded, springfields } from './open-meteo.ts';
export { sendJson, startUpstream } from './upstream.ts';
export type { Answer, Upstream } from './upstream.ts';
