import { createPrivateKey, webcrypto, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { PreRegisteredClient } from '@signalbox/mcp-core/auth';
import { ConfigError } from '../config/config.ts';
import type { ConfiguredClient } from '../config/remote-auth.ts';

/** Reads the private key of a configured client. @throws ConfigError */
export async function preRegisteredClient({
  privateKeyFile,
  ...client
}: ConfiguredClient): Promise<PreRegisteredClient> {
  if (privateKeyFile === undefined) return client;
  return { ...client, privateKey: await readPrivateKey(privateKeyFile) };
}

async function readPrivateKey(file: string): Promise<webcrypto.CryptoKey> {
  try {
    const key = createPrivateKey(await readFile(file));
    const pkcs8 = key.export({ format: 'der', type: 'pkcs8' });
    return await webcrypto.subtle.importKey('pkcs8', pkcs8, algorithmOf(key), false, ['sign']);
  } catch (error) {
    const { code = 'the key cannot be parsed' } = error as { readonly code?: string };
    throw new ConfigError(
      `the private key ${file} cannot be used (${code}); it must be a key in PEM (PKCS #8): P-256, P-384, RSA or Ed25519`,
    );
  }
}

function algorithmOf({
  asymmetricKeyType: type,
  asymmetricKeyDetails: details,
}: KeyObject): Parameters<typeof webcrypto.subtle.importKey>[2] {
  if (type === 'rsa') return { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  if (type === 'ed25519') return { name: 'Ed25519' };
  const namedCurve = { prime256v1: 'P-256', secp384r1: 'P-384' }[String(details?.namedCurve)];
  if (type === 'ec' && namedCurve !== undefined) return { name: 'ECDSA', namedCurve };
  throw new Error(`The key type ${String(type)} is not supported.`);
}
