import { createServer, type Server } from '@signalbox/mcp-core/server';
import { serveHttp } from '@signalbox/mcp-core/http/server';
import { changeTools, type Offer } from './change-tools.ts';
import { CONTENT_TOOLS } from './content-tools.ts';
import { INPUT_REQUIRED_TOOLS } from './input-required-tools.ts';
import { PROMPTS } from './prompts.ts';
import { INPUT_TOOLS } from './elicitation-tools.ts';
import { REPORTING_TOOLS } from './reporting-tools.ts';
import { RESOURCES, TEMPLATES } from './resources.ts';
import { SCHEMA_TOOLS } from './schema-tools.ts';
import { TASK_TOOLS } from './task-tools.ts';

const offer: Offer = {
  tools: [
    ...CONTENT_TOOLS,
    ...REPORTING_TOOLS,
    ...INPUT_TOOLS,
    ...INPUT_REQUIRED_TOOLS,
    ...SCHEMA_TOOLS,
    ...TASK_TOOLS,
    ...changeTools(
      () => server,
      () => offer,
    ),
  ],
  prompts: PROMPTS,
};

const server: Server = createServer({
  info: { name: 'signalbox-conformance', version: '0.0.0' },
  tools: offer.tools,
  prompts: offer.prompts,
  resources: RESOURCES,
  templates: TEMPLATES,
  settings: { resourceSubscriptions: true },
});

const http = await serveHttp(server);
process.stdout.write(`${http.url}\n`);
// The parent process ends this program by closing its stdin.
process.stdin.resume().once('close', () => void http.close());
