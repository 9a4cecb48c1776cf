import { connectClient } from '@signalbox/mcp-core/client';
import { httpTransport } from '@signalbox/mcp-core/http/client';
import { authorizationOf } from './authorization.ts';
import { scenarioOf, type ScenarioDetails } from './scenarios.ts';

/**
 * Runs the client's part of one scenario of the referee, with the server at the URL in the last
 * argument.
 */
async function main(url: string): Promise<void> {
  const name = process.env['MCP_CONFORMANCE_SCENARIO'];
  const scenario = name === undefined ? undefined : scenarioOf(name);
  if (scenario === undefined) throw new Error(`No such scenario: ${String(name)}`);
  // The referee writes it for this scenario.
  const details = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as ScenarioDetails;
  const authorization =
    name?.startsWith('auth/') === true ? authorizationOf(name, details) : undefined;
  const client = await connectClient(() => httpTransport({ url, authorization }), {
    info: { name: 'signalbox-conformance', version: '0.0.0' },
    ...scenario.options,
  });
  try {
    await scenario.run(client, details);
  } finally {
    await client.close();
  }
}

await main(String(process.argv.at(-1)));
