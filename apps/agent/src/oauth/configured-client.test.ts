import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { preRegisteredClient } from './configured-client.ts';

const CLIENT = { issuer: 'https://as.example', clientId: 'c' };

async function keyFile(content: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'keys-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'key.pem');
  await writeFile(file, content);
  return file;
}

const KEYS = {
  'P-256': () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  'P-384': () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  RSA: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  Ed25519: () => generateKeyPairSync('ed25519'),
  X25519: () => generateKeyPairSync('x25519'),
} as const;

function pemOf(type: keyof typeof KEYS): string {
  return KEYS[type]().privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

test('a client without a key file is taken as it is', async () => {
  expect(await preRegisteredClient({ ...CLIENT, clientSecret: 's' })).toEqual({
    ...CLIENT,
    clientSecret: 's',
  });
});

test.each(['P-256', 'P-384', 'RSA', 'Ed25519'] as const)(
  'a private key of the type %s is read, and cannot be exported',
  async (type) => {
    const privateKeyFile = await keyFile(pemOf(type));
    const { privateKey } = await preRegisteredClient({ ...CLIENT, privateKeyFile });
    expect(privateKey).toMatchObject({ type: 'private', usages: ['sign'], extractable: false });
  },
);

test('a key of another type, and a file that has no key, are refused without their content', async () => {
  const secret = 'not-a-key-but-something-secret';
  for (const content of [pemOf('X25519'), secret]) {
    const privateKeyFile = await keyFile(content);
    const refused = preRegisteredClient({ ...CLIENT, privateKeyFile });
    await expect(refused).rejects.toThrow(`the private key ${privateKeyFile} cannot be used`);
    await expect(refused).rejects.not.toThrow(secret);
  }
  const missing = preRegisteredClient({ ...CLIENT, privateKeyFile: '/nowhere/key.pem' });
  await expect(missing).rejects.toThrow('(ENOENT)');
});
