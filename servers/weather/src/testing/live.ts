// Calls every tool with the real services, once: LIVE=1 npm run live. No test runs it.
import { connectClient } from '@signalbox/mcp-core/client';
import { createInMemoryTransports } from '@signalbox/mcp-core/testing';
import { createWeatherServer } from '../create-weather-server.ts';
import { createWeatherProvider } from '../weather-provider.ts';

if (process.env['LIVE'] !== '1') {
  process.stderr.write('This calls the real weather services. Set LIVE=1 to do so.\n');
  process.exit(1);
}

const calls: readonly (readonly [string, Record<string, unknown>])[] = [
  ['search_location', { query: 'Springfield', count: 3 }],
  ['weather_current', { location: 'Berlin, Germany' }],
  ['weather_forecast', { location: '52.52,13.41', days: 2, hourly: true }],
  ['weather_history', { location: '52.52,13.41', start: '2024-02-28', end: '2024-03-01' }],
  ['weather_compare', { locations: ['52.52,13.41', '59.91,10.75'] }],
  ['weather_compare', { location: '52.52,13.41', years: [2022, 2023], month: 7 }],
  ['air_quality', { location: '52.52,13.41' }],
  ['get_alerts', { state: 'CA' }],
  ['get_forecast', { latitude: 39.7456, longitude: -97.0892 }],
];

const provider = createWeatherProvider({ userAgent: 'signalbox-weather/live-check' });
const [left, right] = createInMemoryTransports();
await createWeatherServer({ provider }).server.connect(left);
const client = await connectClient(() => right, { info: { name: 'live', version: '1' } });
let failures = 0;
for (const [name, args] of calls) {
  const { isError = false, content } = await client.callTool(name, args);
  const [block] = content;
  const text = block?.type === 'text' ? block.text : '';
  if (isError) failures += 1;
  process.stdout.write(`${isError ? 'FAILED' : 'ok'} ${name}: ${text.split('\n')[0] ?? ''}\n`);
}
await client.close();
process.exit(failures === 0 ? 0 : 1);
