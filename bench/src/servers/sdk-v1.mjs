import { StdioServerTransportV1 } from '../../../tests/peers/src/sdk-v1-server-api.mjs';
import { TOOLS } from '../catalog.mjs';
import { makeServer } from './make-sdk-v1.mjs';

await makeServer(TOOLS).connect(new StdioServerTransportV1());
