import { CONTROL, tryWay, WAYS, type Way } from './leak-proof.ts';

/**
 * `npm run leaks`: starts a thousand servers, or the given number, and ends them in every way
 * without leaving a process; then a control, which must leak. The last line counts the servers.
 */
const total = Number(process.argv[2] ?? 1000);
const AT_ONCE = 10;
const CONTROL_LIMIT_MS = 3000;
const sum = { passed: 0, failed: 0 };

for (const [index, way] of WAYS.entries()) {
  const count = Math.floor(total / WAYS.length) + (index < total % WAYS.length ? 1 : 0);
  const { passed, failed, seconds } = await tryMany(way, count);
  sum.passed += passed;
  sum.failed += failed;
  process.stdout.write(
    `${failed === 0 ? 'ok  ' : 'FAIL'} ${way.name}: ${passed} of ${count} left nothing (${seconds} s)\n`,
  );
}
const control = await tryWay(CONTROL, AT_ONCE, CONTROL_LIMIT_MS);
process.stdout.write(
  `${control.failed > 0 ? 'ok  ' : 'FAIL'} control, ${CONTROL.name}: ${control.failed} of ${AT_ONCE} left something\n`,
);
if (control.failed > 0) sum.passed += 1;
else sum.failed += 1;
process.stdout.write(`${sum.passed} passed, ${sum.failed} failed\n`);
process.exitCode = sum.failed === 0 ? 0 : 1;

async function tryMany(
  way: Way,
  count: number,
): Promise<{ readonly passed: number; readonly failed: number; readonly seconds: number }> {
  const startedAt = performance.now();
  const outcome = { passed: 0, failed: 0 };
  for (let tried = 0; tried < count; tried += AT_ONCE) {
    const now = Math.min(AT_ONCE, count - tried);
    const { passed, failed } = await tryWay(way, now).catch((error: unknown) => {
      process.stderr.write(`${way.name}: ${String(error)}\n`);
      return { passed: 0, failed: now };
    });
    outcome.passed += passed;
    outcome.failed += failed;
  }
  return { ...outcome, seconds: Math.round((performance.now() - startedAt) / 1000) };
}
