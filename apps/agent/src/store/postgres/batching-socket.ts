import { Socket } from 'node:net';

/**
 * Creates a socket that sends the buffers that are written in one turn of the event loop in one
 * system call. pg writes several small buffers for each query.
 */
export function createBatchingSocket(): Socket {
  const socket = new Socket();
  const write = socket.write.bind(socket) as (...parameters: readonly unknown[]) => boolean;
  let buffers: Buffer[] = [];
  let callbacks: (() => void)[] = [];
  const flush = (): void => {
    const written = callbacks;
    const batch = buffers.length === 1 ? buffers[0] : Buffer.concat(buffers);
    buffers = [];
    callbacks = [];
    write(batch, () => {
      for (const callback of written) callback();
    });
  };
  socket.write = (buffer: unknown, ...rest: readonly unknown[]): boolean => {
    if (!Buffer.isBuffer(buffer)) throw new TypeError('Only buffers are written to a database.');
    if (buffers.length === 0) process.nextTick(flush);
    buffers.push(buffer);
    const callback = rest.at(-1);
    if (typeof callback === 'function') callbacks.push(callback as () => void);
    return true;
  };
  return socket;
}
