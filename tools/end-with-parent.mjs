// Preloaded by the scripts of package.json. npm sends signals to the shell that it starts, and a shell that a signal ends
// leaves its program running. When the parent process has ended, this process sends SIGTERM to itself.
const INTERVAL_MS = 250;
const parent = process.ppid;
const timer = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(timer);
  process.kill(process.pid, 'SIGTERM');
}, INTERVAL_MS);
timer.unref();
