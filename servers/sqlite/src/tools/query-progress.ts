import type { InteractiveContext } from '@signalbox/mcp-core/server';

const REPORT_EVERY_MS = 1000;

/** Reports the elapsed time of `work` once a second. Resolves and rejects like `work`. */
export async function withQueryProgress<Result>(
  context: InteractiveContext,
  work: Promise<Result>,
  subject: 'query' | 'write' = 'query',
): Promise<Result> {
  let seconds = 0;
  const timer = setInterval(() => {
    seconds += 1;
    context.progress({
      progress: seconds,
      message: `The ${subject} has been running for ${seconds} s`,
    });
  }, REPORT_EVERY_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}
