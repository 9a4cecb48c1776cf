// Preloaded by the scripts of package.json: npm passes signals to the shell that it starts, and a shell that dies of one
// leaves its program behind. Where the parent is gone, this process stops as if it had the signal itself.
const INTERVAL_MS = 250;
const parent = process.ppid;
const timer = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(timer);
  process.kill(process.pid, 'SIGTERM');
}, INTERVAL_MS);
timer.unref();
