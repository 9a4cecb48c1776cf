import { createHash } from 'node:crypto';

/** A tool call's id in the form that every provider takes (64 characters of `a-zA-Z0-9_-`); ids of another origin are mapped, always to the same one. */
export function wireCallId(id: string): string {
  return /^[a-zA-Z0-9_-]{1,64}$/.test(id) ? id : `call_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}
