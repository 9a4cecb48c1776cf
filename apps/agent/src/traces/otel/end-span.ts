import { SpanStatusCode, type Attributes, type Span } from '@opentelemetry/api';

/**
 * Ends a span, as an error if a type is given.
 * @see https://opentelemetry.io/docs/specs/semconv/general/recording-errors/
 */
export function endSpan(span: Span | undefined, attributes: Attributes, errorType?: string): void {
  if (span === undefined) return;
  span.setAttributes(attributes);
  if (errorType !== undefined) {
    span.setAttribute('error.type', errorType);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}
