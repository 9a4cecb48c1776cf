import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';

test('what runs after it, children too, has one core where the system can do that', () => {
  const program = `
    import { execFileSync } from 'node:child_process';
    import { availableParallelism } from 'node:os';
    import { shareOneCore } from ${JSON.stringify(new URL('share-core.ts', import.meta.url).href)};
    const core = shareOneCore();
    const child = execFileSync(process.execPath, ['-e', 'process.stdout.write(String(os.availableParallelism()))'], { encoding: 'utf8' });
    process.stdout.write(JSON.stringify({ isShared: core !== undefined, cores: [availableParallelism(), Number(child)] }));
  `;
  const { isShared, cores } = JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }),
  ) as {
    readonly isShared: boolean;
    readonly cores: readonly number[];
  };
  const expected = isShared ? 1 : availableParallelism();
  expect(cores).toEqual([expected, expected]);
});
