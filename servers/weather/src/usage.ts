export const usage = `Usage: signalbox-weather [options]

An MCP server on stdio: current weather, forecasts and comparisons from Open-Meteo, no key needed.
The free tier of Open-Meteo is for non-commercial use; its data is licensed CC BY 4.0 and has to be attributed
(every result carries the attribution). See https://open-meteo.com/en/terms

Options:
  --demo                 made-up weather of a few cities instead of Open-Meteo; no network is used
  --demo-delay-ms N      how long each made-up answer takes, 0 to 60000 ms (default 150)
  --units UNITS          metric, imperial or kelvin, for calls that name none (default metric)
  --timeout-ms N         limit of one request, 100 to 60000 ms; with retries one and a half times as much (default 10000)
  --max-concurrency N    requests at once, 1 to 5 (default 2)
  --log-level LEVEL      debug, info, warn or error, to stderr (default warn)
  --help, -h             this text
  --version

Environment:
  WEATHER_OPEN_METEO_URL  base URL of the forecast service (default https://api.open-meteo.com)
  WEATHER_GEOCODING_URL   base URL of the geocoding service (default https://geocoding-api.open-meteo.com)
`;
