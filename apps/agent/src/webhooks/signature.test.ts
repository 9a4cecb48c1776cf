import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { newSecret, signedHeaders } from './signature.ts';

test('the library of Standard Webhooks accepts a signature, and no other body, id or secret', () => {
  const secret = newSecret();
  const body = '{"type":"run.completed","data":{"text":"Grüße"}}';
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = signedHeaders([secret], { id: 'r1:7', timestamp, body });
  expect(headers).toMatchObject({ 'webhook-id': 'r1:7', 'webhook-timestamp': `${timestamp}` });
  const receiver = new Webhook(secret);
  expect(receiver.verify(body, headers)).toEqual(JSON.parse(body));
  const verifyWrong = [
    () => receiver.verify(body.replace('run', 'ran'), headers),
    () => receiver.verify(body, { ...headers, 'webhook-id': 'r1:8' }),
    () => new Webhook(newSecret()).verify(body, headers),
  ];
  for (const verify of verifyWrong) expect(verify).toThrow('No matching signature found');
});

test('with several secrets the library accepts the request with each of them', () => {
  const secrets = [newSecret(), newSecret()];
  const headers = signedHeaders(secrets, {
    id: 'r1:7',
    timestamp: Math.floor(Date.now() / 1000),
    body: '{}',
  });
  expect(headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/u);
  for (const secret of secrets) expect(new Webhook(secret).verify('{}', headers)).toEqual({});
  expect(() => new Webhook(newSecret()).verify('{}', headers)).toThrow('No matching signature');
});

test('a secret has 32 random bytes', () => {
  const [first, second] = [newSecret(), newSecret()];
  expect(first).not.toBe(second);
  expect(Buffer.from(first.replace(/^whsec_/u, ''), 'base64')).toHaveLength(32);
});
