import { serveStdio } from '@signalbox/mcp-core/stdio';
import { makeServer } from '../servers/make-signalbox.mjs';

await serveStdio(makeServer(2));
