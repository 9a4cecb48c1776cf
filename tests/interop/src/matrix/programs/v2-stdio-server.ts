import { serveStdioV2 } from '../../../../peers/src/sdk-v2-serving.ts';
import { createV2Server } from '../servers/v2-server.ts';
import { World } from '../world.ts';

// Arguments: the accepted legacy revisions; none means all.
const versions = process.argv.slice(2);
const world = new World();
serveStdioV2(() => createV2Server(world, versions.length === 0 ? {} : { versions }));
