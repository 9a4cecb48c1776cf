import { serveStdio } from '@signalbox/mcp-core/stdio';
import { createExampleServer } from './example-server.ts';

await serveStdio(createExampleServer(process.argv[2] ?? 'unnamed'));
