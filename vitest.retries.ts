import type { Reporter, TestCase } from 'vitest/node';

/** Makes `npm test` name at its end the tests that failed and passed when they ran again, which only CI does. */
export default class RetriesReporter implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { flaky: isFlaky, retryCount } = test.diagnostic() ?? {};
    if (isFlaky === true)
      Object.assign(test.meta(), { note: `FLAKY: passed after ${retryCount} failed tries` });
  }
}
