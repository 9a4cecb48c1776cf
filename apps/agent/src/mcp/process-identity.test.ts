import { expect, test } from 'vitest';
import { hasEnded, processIdentity } from './process-identity.ts';

test.runIf(process.platform === 'linux')(
  'a process whose id was reused, and no process of another namespace, counts as ended',
  () => {
    const identity = processIdentity() ?? '';
    const [namespace = '', pid = '', startTime = ''] = identity.split('-');
    expect(hasEnded(identity)).toBe(false);
    expect(hasEnded(`${namespace}-${pid}-${Number(startTime) + 1}`)).toBe(true);
    expect(hasEnded(`${namespace}-99999999-1`)).toBe(true);
    expect(hasEnded(`1${namespace}-99999999-1`)).toBe(false);
    expect(hasEnded('unknown')).toBe(false);
  },
);
