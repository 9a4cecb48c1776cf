/** Default of the accepted signature algorithms. */
export const ALGORITHMS: readonly string[] = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'Ed25519',
  'EdDSA',
];

/** @throws Error for an algorithm that no public key verifies */
export function checkAlgorithms(algorithms: readonly string[]): readonly string[] {
  const unknown = algorithms.find((algorithm) => !ALGORITHMS.includes(algorithm));
  if (unknown !== undefined || algorithms.length === 0)
    throw new Error(
      `algorithms: ${unknown === undefined ? 'the list is empty' : `${JSON.stringify(unknown)} is not accepted`}. Pass some of ${ALGORITHMS.join(', ')}`,
    );
  return algorithms;
}
