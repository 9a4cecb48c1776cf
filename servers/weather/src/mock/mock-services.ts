import { nwsDocument } from './mock-nws.ts';
import {
  airQualityDocument,
  archiveDocument,
  forecastDocument,
  placeDocument,
  searchDocument,
} from './mock-open-meteo.ts';
import type { MockResponse } from './mock-response.ts';

/**
 * Responds to a request of either weather service with a made-up document in its format: the same for
 * the same place, day and hour. `base` is the URL of the services, with a slash at its end.
 */
export function mockResponse(url: URL, base: string, now: Date): MockResponse {
  const query = url.searchParams;
  switch (url.pathname.slice(new URL(base).pathname.length)) {
    case 'v1/search':
      return searchDocument(query);
    case 'v1/get':
      return placeDocument(query);
    case 'v1/forecast':
      return forecastDocument(query, now);
    case 'v1/archive':
      return archiveDocument(query);
    case 'v1/air-quality':
      return airQualityDocument(query, now);
    default:
      return nwsDocument(url, base, now) ?? { status: 404, body: { title: 'Not Found' } };
  }
}
