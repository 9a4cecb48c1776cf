import { serveStdio } from '@signalbox/mcp-core/stdio';
import { makeServer } from './make-server.mjs';

await serveStdio(makeServer());
