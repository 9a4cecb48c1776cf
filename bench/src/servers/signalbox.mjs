import { serveStdio } from '@signalbox/mcp-core/stdio';
import { TOOLS } from '../catalog.mjs';
import { makeServer } from './make-signalbox.mjs';

await serveStdio(makeServer(TOOLS));
