import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

/** Longer than any test may take, on a slow machine too. */
const SILENT_MS = 10 * 60_000;

/** Longer than the workers need to end. */
const CLOSING_MS = 60_000;

/**
 * Ends a run in which no test has ended for ten minutes, and names the files and tests that were running. A test that blocks its process
 * is beyond the time limits of vitest, which are timers of that process. Also ends vitest where it waits for a process that a test left behind.
 */
export default class HangsReporter implements Reporter {
  readonly #running = new Map<string, string>();
  #vitest: Vitest | undefined;
  #timer: NodeJS.Timeout | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunStart(): void {
    this.#wait();
  }

  onTestModuleQueued(module: TestModule): void {
    this.#running.set(module.id, module.relativeModuleId);
  }

  onTestModuleEnd(module: TestModule): void {
    this.#running.delete(module.id);
    this.#wait();
  }

  onTestCaseReady(test: TestCase): void {
    this.#running.set(test.id, `${test.module.relativeModuleId} > ${test.fullName}`);
  }

  onTestCaseResult(test: TestCase): void {
    this.#running.delete(test.id);
    this.#wait();
  }

  onTestRunEnd(): void {
    clearTimeout(this.#timer);
    if (this.#vitest?.config.watch === true) return;
    setTimeout(() => {
      console.error('vitest did not end: a process that a test started still holds its output.');
      process.exit();
    }, CLOSING_MS).unref();
  }

  #wait(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      console.error(`no test has ended for ${SILENT_MS / 60_000} minutes; the run ends. Running:`);
      for (const name of this.#running.values()) console.error(`  ${name}`);
      process.exitCode = 1;
      void this.#vitest?.exit(true);
    }, SILENT_MS);
    this.#timer.unref();
  }
}
