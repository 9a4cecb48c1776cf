import { describe } from 'vitest';
import { toolCatalogueContract } from '../ports/tool-catalogue.contract.ts';
import { localCatalogue } from './local-catalogue.ts';
import { catalogueServers, changed, connected } from './testing/catalogue-servers.ts';

describe('the catalogue of the connections of this process', () => {
  toolCatalogueContract(async (tools) => {
    const servers = catalogueServers(tools);
    servers.start();
    const catalogue = localCatalogue(servers.pool);
    await connected(catalogue);
    return {
      catalogue,
      async offer(next) {
        servers.offer(next);
        await changed(catalogue);
      },
      connectSlow: servers.connectSlow,
      advance: (ms) => servers.clock.advance(ms),
    };
  });
});
