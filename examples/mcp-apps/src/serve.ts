import { serveStdio } from '@signalbox/mcp-core/stdio';
import { createVotesServer } from './votes-server.ts';

await serveStdio(createVotesServer(['tea', 'coffee']));
