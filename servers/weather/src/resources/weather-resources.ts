import {
  defineResource,
  defineResourceTemplate,
  type ResourceDefinition,
  type ResourceTemplateDefinition,
} from '@signalbox/mcp-core/server';
import { WMO_CODES } from '../conditions.ts';
import { resolveOrAsk } from '../location/resolve-location.ts';
import { completeArea } from '../nws/areas.ts';
import type { ToolSetup } from '../tools/tool-setup.ts';
import type { PlaceCompletion } from './place-completion.ts';
import { asProtocolError } from './protocol-error.ts';
import { readWeather, RESOURCE_MIME_TYPE, resourceResult } from './read-weather.ts';
import { WMO_CODES_URI } from './weather-uri.ts';

/** Milliseconds for which clients may keep a resource that never changes. */
const FIXED_TTL_MS = 86_400_000;

/** Returns the resource with the descriptions of the weather codes. */
export function wmoCodesResource(): ResourceDefinition {
  return defineResource({
    uri: WMO_CODES_URI,
    name: 'wmo-codes',
    title: 'Weather codes',
    description: 'Description of each WMO weather code in the results',
    mimeType: RESOURCE_MIME_TYPE,
    read: () => ({
      contents: [
        { uri: WMO_CODES_URI, mimeType: RESOURCE_MIME_TYPE, text: JSON.stringify(WMO_CODES) },
      ],
      ttlMs: FIXED_TTL_MS,
      cacheScope: 'public',
    }),
  });
}

/** Returns the templates of the weather of a city and the alerts of an area. */
export function weatherTemplates(
  setup: ToolSetup,
  completion: PlaceCompletion,
): readonly ResourceTemplateDefinition[] {
  const completeCity: PlaceCompletion['complete'] = (typed, input) =>
    completion.complete(typed, input);
  const ofCity = (kind: 'current' | 'forecast', title: string, description: string) =>
    defineResourceTemplate({
      uriTemplate: `weather://{city}/${kind}`,
      name: kind,
      title,
      description: `${description}; city takes every form of a location, percent-encoded`,
      mimeType: RESOURCE_MIME_TYPE,
      read: ({ city }, uri, context) =>
        asProtocolError(uri, async () => {
          const { place } = await resolveOrAsk(city, setup.provider, context);
          const { signal } = context;
          return resourceResult(uri, await readWeather({ kind, place }, setup, { signal }));
        }),
      complete: { city: completeCity },
    });
  return [
    ofCity('current', 'Current weather', 'The weather of a city now'),
    ofCity('forecast', 'Forecast', 'The weather of a city on seven days'),
    defineResourceTemplate({
      uriTemplate: 'weather://{area}/alerts',
      name: 'alerts',
      title: 'Weather alerts',
      description: 'Active alerts of a US state, territory or marine area, such as CA',
      mimeType: RESOURCE_MIME_TYPE,
      read: ({ area }, uri, { signal }) =>
        asProtocolError(uri, async () =>
          resourceResult(uri, await readWeather({ kind: 'alerts', area }, setup, { signal })),
        ),
      complete: { area: (typed) => completeArea(typed) },
    }),
  ];
}
