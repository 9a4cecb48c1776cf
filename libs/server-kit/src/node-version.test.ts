import { expect, test } from 'vitest';
import { unsupportedNode } from './node-version.ts';

test.each(['22.22.0', '22.30.1', '24.0.0', '100.0.0'])('accepts Node %s', (version) => {
  expect(unsupportedNode(version)).toBeUndefined();
});

test.each(['18.20.4', '20.99.0', '22.21.9'])(
  'refuses Node %s and names the version needed',
  (version) => {
    expect(unsupportedNode(version)).toBe(`Node 22.22 or newer is required, this is ${version}`);
  },
);
