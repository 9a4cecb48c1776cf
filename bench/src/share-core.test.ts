import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('what runs after it, children too, has one core where the system can do that', () => {
  const program = `
    import { execFileSync } from 'node:child_process';
    import { availableParallelism } from 'node:os';
    import { shareOneCore } from ${JSON.stringify(join(import.meta.dirname, 'share-core.ts'))};
    const core = shareOneCore();
    const child = execFileSync(process.execPath, ['-p', 'os.availableParallelism()'], { encoding: 'utf8' });
    process.stdout.write(JSON.stringify({ isShared: core !== undefined, cores: [availableParallelism(), Number(child)] }));
  `;
  const { isShared, cores } = JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })) as {
    readonly isShared: boolean;
    readonly cores: readonly number[];
  };
  expect(cores.every((count) => count === 1)).toBe(isShared);
});
