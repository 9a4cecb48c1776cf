import { ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { expect, test } from 'vitest';
import { recordingLogger } from '../../mcp/testing/pool-fixture.ts';
import { LoggedExporter } from './logged-exporter.ts';

test('a series of failed exports is logged when it begins and when it ends', () => {
  const state = { code: ExportResultCode.FAILED };
  const logger = recordingLogger();
  const exporter = new LoggedExporter(
    {
      export: (_spans, onResult) => onResult({ code: state.code, error: new Error('no route') }),
      shutdown: () => Promise.resolve(),
    },
    logger,
    'http://127.0.0.1:4318/v1/traces',
  );
  const send = (): void => exporter.export([{} as ReadableSpan], () => undefined);
  send();
  send();
  expect(logger.lines).toEqual([expect.stringContaining('no route') as string]);
  state.code = ExportResultCode.SUCCESS;
  send();
  send();
  expect(logger.lines.slice(1)).toEqual([
    expect.stringContaining('traces are sent again') as string,
  ]);
});
