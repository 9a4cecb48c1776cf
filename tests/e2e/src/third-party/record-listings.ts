// node src/third-party/record-listings.ts: writes the tools that each installed third-party server lists; needed after an update of tests/peers.
import { writeFileSync } from 'node:fs';
import { thirdPartyServers } from '../../../peers/src/official-servers.ts';
import { directListing, LISTINGS_FILE, type ThirdParty } from './direct-listing.ts';

const listings: Record<string, object> = {};
for (const name of Object.keys(thirdPartyServers) as ThirdParty[])
  listings[name] = await directListing(name);
writeFileSync(LISTINGS_FILE, `${JSON.stringify(listings, undefined, 2)}\n`);
