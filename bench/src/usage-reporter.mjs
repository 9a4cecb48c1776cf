// Preloaded into a server under load: answers `usage` on the IPC channel with the CPU time used so far, in microseconds, and `heap` with the bytes in use
// after a collection, which needs --expose-gc.
process.on('message', (question) => {
  process.send?.(question === 'heap' ? heapBytes() : cpuMicros());
});
process.channel?.unref();

function cpuMicros() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function heapBytes() {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
