import { serveStdio } from '@signalbox/mcp-core/stdio';
import { createOurServer } from '../servers/our-server.ts';
import { World } from '../world.ts';

await serveStdio(createOurServer(new World()));
