import { expect, test } from 'vitest';
import { urlRequest } from './elicitation-url.ts';

const asked = (url: string) =>
  urlRequest({ mode: 'url', message: 'Please sign in', url, elicitationId: 'e1' });

test('the whole URL is shown, with its host', () => {
  const url = `https://login.example.org:8443/a?state=${'x'.repeat(5000)}#end`;
  expect(asked(url)).toEqual({
    message: 'Please sign in',
    url,
    host: 'login.example.org:8443',
    warnings: [],
    elicitation_id: 'e1',
  });
});

test.each([
  ['http://example.org/', /not https/],
  ['https://xn--80ak6aa92e.com/', /letters that may look like others: аррӏе\.com/],
  ['https://example.org@evil.test/', /before the @ is not the host, which is evil\.test/],
])('%s comes with a warning', (url, warning) => {
  expect(asked(url)['warnings']).toEqual([expect.stringMatching(warning)]);
});

test.each(['http://localhost:3000/', 'http://127.0.0.1/', 'http://[::1]:8/'])(
  '%s stays on this machine, so http causes no warning',
  (url) => {
    expect(asked(url)['warnings']).toEqual([]);
  },
);

test.each([
  'javascript:alert(1)',
  'file:///etc/passwd',
  'data:text/html,x',
  'no address',
  '',
  `https://example.org/${'x'.repeat(9000)}`,
])('%.30s is refused', (url) => {
  expect(() => asked(url)).toThrow(/url must be an http or https URL of at most 8192 characters/);
});
