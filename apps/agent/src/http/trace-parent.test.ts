import { expect, test } from 'vitest';
import { traceContextOf } from './trace-parent.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

test.each([
  `00-${TRACE}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-00`,
  `01-${TRACE}-${SPAN}-01`,
  `cc-${TRACE}-${SPAN}-01-more`,
])('the traceparent %s is taken', (traceparent) => {
  expect(traceContextOf({ headers: { traceparent } })).toEqual({ traceparent });
});

test.each([
  '',
  'nonsense',
  `ff-${TRACE}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${TRACE}-${SPAN}-01x`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `01-${TRACE}-${SPAN}-01-${'x'.repeat(1000)}`,
])('the malformed traceparent %s is ignored', (traceparent) => {
  expect(traceContextOf({ headers: { traceparent, tracestate: 'a=1' } })).toBeUndefined();
});

test('a tracestate of more than 512 characters is left out', () => {
  const traceparent = `00-${TRACE}-${SPAN}-01`;
  const tracestate = `a=${'1'.repeat(510)}`;
  expect(traceContextOf({ headers: { traceparent, tracestate } })).toEqual({
    traceparent,
    tracestate,
  });
  expect(traceContextOf({ headers: { traceparent, tracestate: `${tracestate}1` } })).toEqual({
    traceparent,
  });
});
