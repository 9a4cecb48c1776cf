import { createTestContext } from '@signalbox/mcp-core/testing';
import { expect, onTestFinished, test } from 'vitest';
import { callTool } from '../testing/call-tool.ts';
import { providerOf } from '../testing/open-meteo.ts';
import { sendJson, startUpstream } from '../testing/upstream.ts';
import { getAlertsTool } from './get-alerts.ts';

test.each([
  [0, 'No active alerts for CA.', 0],
  [1, '1 active alerts for CA:', 1],
  [49, '49 active alerts for CA:', 49],
  [50, 'At least 50 active alerts for CA:', 50],
  [120, 'At least 50 active alerts for CA:', 50],
])('of %d alerts the text begins with "%s"', async (count, text, listed) => {
  const upstream = await startUpstream(onTestFinished, ({ response }) =>
    sendJson(response, {
      features: Array.from({ length: count }, (_, index) => ({
        properties: { event: `Event ${index}` },
      })),
    }),
  );
  const tool = getAlertsTool({
    provider: providerOf(upstream),
    defaultUnits: 'metric',
    now: Date.now,
  });
  const context = createTestContext();
  const result = await callTool(tool, { state: 'CA' }, context);
  expect(result.text.split('\n')[0]).toBe(text);
  expect(result.structured).toMatchObject({ alerts: { length: listed } });
});
