import { describe, expect, test } from 'vitest';
import { traceSettings } from './trace-settings.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' };

test('traces are off without a variable, and where they are switched off', () => {
  for (const env of [
    {},
    { OTEL_SERVICE_NAME: 'service' },
    { ...endpoint, OTEL_SDK_DISABLED: 'true' },
    { ...endpoint, OTEL_TRACES_EXPORTER: 'none' },
  ])
    expect(traceSettings(env)).toEqual({ notices: [] });
});

test('an endpoint switches traces on, with a notice', () => {
  expect(traceSettings(endpoint)).toEqual({
    traces: {
      url: 'http://collector:4318/v1/traces',
      protocol: 'http/protobuf',
      timeoutMs: 2000,
      sampler: { root: 'always_on', ratio: 1, isParentBased: true },
    },
    notices: ['traces are sent to http://collector:4318/v1/traces'],
  });
});

test('the variables of traces come before those of all signals', () => {
  const { traces } = traceSettings({
    ...endpoint,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces/spans',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_TIMEOUT: '1',
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '5000',
  });
  expect(traces).toMatchObject({
    url: 'https://traces/spans',
    protocol: 'http/json',
    timeoutMs: 5000,
  });
});

test('an exporter without an endpoint sends to this machine', () => {
  expect(traceSettings({ OTEL_TRACES_EXPORTER: 'otlp' }).traces?.url).toBe(
    'http://localhost:4318/v1/traces',
  );
});

describe('a value that cannot be used is a notice without the value', () => {
  test.each([
    [{ OTEL_TRACES_EXPORTER: 'zipkin' }, 'OTEL_TRACES_EXPORTER must be otlp or none'],
    [
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      'OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json',
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:canary@collector' },
      'OTEL_EXPORTER_OTLP_ENDPOINT must not hold a user name, password, query or fragment',
    ],
    [
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'collector:4318' },
      'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT must be an http or https URL',
    ],
  ])('%o', (env, problem) => {
    expect(traceSettings({ ...endpoint, ...env })).toEqual({
      notices: [`traces are off: ${problem}`],
    });
  });
});

test.each([
  ['always_off', undefined, { root: 'always_off', ratio: 1, isParentBased: false }],
  ['parentbased_traceidratio', '0.1', { root: 'traceidratio', ratio: 0.1, isParentBased: true }],
  ['traceidratio', undefined, { root: 'traceidratio', ratio: 1, isParentBased: false }],
])('the sampler %s with the argument %s', (name, argument, sampler) => {
  const { traces, notices } = traceSettings({
    ...endpoint,
    OTEL_TRACES_SAMPLER: name,
    ...(argument === undefined ? {} : { OTEL_TRACES_SAMPLER_ARG: argument }),
  });
  expect(traces?.sampler).toEqual(sampler);
  expect(notices.length).toBe(1);
});

test.each([
  ['jaeger_remote', '1'],
  ['traceidratio', '10'],
])('the sampler %s with the argument %s is replaced by the default, with a notice', (name, arg) => {
  const { traces, notices } = traceSettings({
    ...endpoint,
    OTEL_TRACES_SAMPLER: name,
    OTEL_TRACES_SAMPLER_ARG: arg,
  });
  expect(traces?.sampler).toEqual({ root: 'always_on', ratio: 1, isParentBased: true });
  expect(notices[1]).toMatch(/^every trace is sampled: /);
});
