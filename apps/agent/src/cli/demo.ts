import type { App } from '../app.ts';
import { DEMO_EXPECTATIONS, type DemoData } from '../demo/expected-answers.ts';
import type { Io } from './io.ts';
import { isInterrupted, runTask } from './run.ts';

/** Runs every demo and checks its answer against the data itself. Returns 0 when all are right. */
export async function runDemos(io: Io, app: App, data: DemoData): Promise<number> {
  const wrong: string[] = [];
  for (const expectationOf of DEMO_EXPECTATIONS) {
    const { prompt, mustContain } = expectationOf(data);
    io.out(`\n❯ ${prompt}\n`);
    const run = await runTask(io, app, { prompt, servers: [], isJson: false });
    if (isInterrupted(run)) return 130;
    const missing = mustContain.filter((part) => run.answer?.includes(part) !== true);
    if (run.status === 'completed' && missing.length === 0) continue;
    wrong.push(`"${prompt}" ended ${run.status}${missing.length > 0 ? `, and its answer does not say: ${missing.join('; ')}` : ''}`);
  }
  for (const each of wrong) io.err(`demo: ${each}\n`);
  io.out(`\ndemo: ${DEMO_EXPECTATIONS.length - wrong.length} of ${DEMO_EXPECTATIONS.length} answers are right\n`);
  return wrong.length === 0 ? 0 : 1;
}
