import { createInterface } from 'node:readline';

/**
 * Runs agents on command: each line of stdin is a prompt, and stdout gets `{"ended":PROMPT}` or `{"ended":PROMPT,"failed":TEXT}` for it. Ends with stdin.
 *
 * @param {(prompt: string) => Promise<unknown>} run
 * @param {() => Promise<unknown>} close
 */
export function serveRuns(run, close) {
  /** @param {object} message */
  const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (prompt) => {
    run(prompt).then(
      () => send({ ended: prompt }),
      (/** @type {unknown} */ error) => send({ ended: prompt, failed: String(error) }),
    );
  });
  lines.on('close', () => {
    void close().then(() => process.exit(0));
  });
  send({ ready: true });
}

/** @param {string} name @throws Error for a variable that is not set */
export function setting(name) {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}

/** Settings that the benchmark gives to a program. */
export const settings = {
  modelUrl: setting('BENCH_MODEL_URL'),
  /** Folder for what is stored. */
  folder: setting('BENCH_FOLDER'),
  server: { command: process.execPath, args: [setting('BENCH_SERVER')] },
  /** Model calls that a run may make. */
  steps: Number(setting('BENCH_STEPS')),
};
