import { StdioServerTransportV1 } from '../../../../peers/src/sdk-v1-serving.ts';
import { createV1Server } from '../servers/v1-server.ts';
import { World } from '../world.ts';

// The SDK leaves the end of its input to the program.
process.stdin.on('end', () => process.exit(0));
await createV1Server(new World()).connect(new StdioServerTransportV1());
