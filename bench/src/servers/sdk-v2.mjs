import { serveStdioV2 } from '../../../tests/peers/src/sdk-v2-server-api.mjs';
import { TOOLS } from '../catalog.mjs';
import { makeServer } from './make-sdk-v2.mjs';

serveStdioV2(() => makeServer(TOOLS));
