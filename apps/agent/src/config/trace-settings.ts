import type { SamplerSetting, TraceSettings } from './config.ts';
import { httpUrlProblem } from './http-url.ts';

interface Environment {
  readonly [name: string]: string | undefined;
}

const DEFAULT_ENDPOINT = 'http://localhost:4318';
const DEFAULT_TIMEOUT_MS = 2000;
const SAMPLER = /^(?:(parentbased)_)?(always_on|always_off|traceidratio)$/;

/**
 * Reads the standard variables of OpenTelemetry. Traces are on with an endpoint, or with
 * `OTEL_TRACES_EXPORTER=otlp`. A value that cannot be used is a notice and no error, because the
 * variables may be meant for every program of the machine.
 * @see https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
export function traceSettings(env: Environment): {
  readonly traces?: TraceSettings;
  readonly notices: readonly string[];
} {
  const exporter = env['OTEL_TRACES_EXPORTER']?.trim();
  const endpoint = endpointOf(env, exporter === 'otlp');
  const isDisabled = env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true';
  if (endpoint === undefined || isDisabled || exporter === 'none') return { notices: [] };
  const protocol =
    env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] ??
    env['OTEL_EXPORTER_OTLP_PROTOCOL'] ??
    'http/protobuf';
  const urlProblem = httpUrlProblem(endpoint.url);
  if (exporter !== undefined && exporter !== 'otlp')
    return off('OTEL_TRACES_EXPORTER must be otlp or none');
  if (protocol !== 'http/protobuf' && protocol !== 'http/json')
    return off('OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json');
  if (urlProblem !== undefined) return off(`${endpoint.source} ${urlProblem}`);
  const timeout = env['OTEL_EXPORTER_OTLP_TRACES_TIMEOUT'] ?? env['OTEL_EXPORTER_OTLP_TIMEOUT'];
  const { sampler, notices } = samplerOf(env);
  return {
    traces: {
      url: endpoint.url,
      protocol,
      timeoutMs: Number(timeout) > 0 ? Number(timeout) : DEFAULT_TIMEOUT_MS,
      sampler,
    },
    notices: [`traces are sent to ${endpoint.url}`, ...notices],
  };
}

function off(problem: string): { readonly notices: readonly string[] } {
  return { notices: [`traces are off: ${problem}`] };
}

function endpointOf(
  env: Environment,
  isRequested: boolean,
): { readonly url: string; readonly source: string } | undefined {
  const own = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
  if (own !== undefined) return { url: own, source: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT' };
  const base = env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? (isRequested ? DEFAULT_ENDPOINT : undefined);
  return base === undefined
    ? undefined
    : { url: `${base.replace(/\/$/, '')}/v1/traces`, source: 'OTEL_EXPORTER_OTLP_ENDPOINT' };
}

function samplerOf(env: Environment): {
  readonly sampler: SamplerSetting;
  readonly notices: readonly string[];
} {
  const [, parent, root] =
    SAMPLER.exec(env['OTEL_TRACES_SAMPLER'] ?? 'parentbased_always_on') ?? [];
  const ratio = Number(env['OTEL_TRACES_SAMPLER_ARG'] ?? 1);
  const isKnown = root !== undefined && (root !== 'traceidratio' || (ratio >= 0 && ratio <= 1));
  return {
    sampler: isKnown
      ? // The pattern names the samplers.
        { root: root as SamplerSetting['root'], ratio, isParentBased: parent !== undefined }
      : { root: 'always_on', ratio: 1, isParentBased: true },
    notices: isKnown
      ? []
      : [
          'every trace is sampled: OTEL_TRACES_SAMPLER must be always_on, always_off or traceidratio, alone or after parentbased_, and OTEL_TRACES_SAMPLER_ARG a number from 0 to 1',
        ],
  };
}
