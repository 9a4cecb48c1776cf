import { afterAll, vi } from 'vitest';

// The files of a project share a process: timers that stay fake let a later file wait without end.
afterAll(() => {
  if (!vi.isFakeTimers() && !('clock' in setTimeout)) return;
  vi.useRealTimers();
  throw new Error(
    'A test of this file, or of one before it in the process, left fake timers: call vi.useRealTimers() in onTestFinished or afterEach, and spy on no fake timer',
  );
});
