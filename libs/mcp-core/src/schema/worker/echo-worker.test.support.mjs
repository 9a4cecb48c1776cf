import { parentPort, threadId } from 'node:worker_threads';

/** A thread that answers each job with its own id. */
parentPort?.on('message', () => parentPort?.postMessage(threadId));
parentPort?.postMessage('ready');
