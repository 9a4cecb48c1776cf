/** The two families of protocol versions: sessions opened by `initialize`, or self-contained requests. */
export type Era = 'legacy' | 'modern';

/** Supported versions, newest first. All but the first belong to the legacy era. */
export const PROTOCOL_VERSIONS = [
  '2026-07-28',
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
] as const;
/** A revision of the specification that this package supports. */
export type ProtocolVersion = (typeof PROTOCOL_VERSIONS)[number];
