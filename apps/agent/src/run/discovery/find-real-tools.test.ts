import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { CatalogueTool } from '../../ports/tool-catalogue.ts';
import { rankTools } from './rank-tools.ts';

interface RealServer {
  readonly server: string;
  readonly tools: readonly {
    readonly name: string;
    readonly title?: string;
    readonly description: string;
    readonly parameters: readonly string[];
  }[];
}

const servers = JSON.parse(
  readFileSync(new URL('testing/real-tools.json', import.meta.url), 'utf8'),
) as readonly RealServer[];

const tools: readonly CatalogueTool[] = servers.flatMap(({ server, tools: ofServer }) =>
  ofServer.map(({ name, title, description, parameters }) => ({
    wireName: `${server}__${name}`,
    server,
    name,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(parameters.map((parameter) => [parameter, {}])),
    },
    annotations: {},
    trusted: false,
  })),
);

/** Possible queries of a model, and the tools that match. Several servers have the same tool. */
const QUERIES: readonly (readonly [query: string, ...right: readonly string[]])[] = [
  ['create an issue on github', 'github__create_issue'],
  ['create a notion page', 'notion__API-post-page'],
  ['search notion', 'notion__API-post-search'],
  [
    'click a button',
    'playwright__browser_click',
    'chrome-devtools__click',
    'puppeteer__puppeteer_click',
  ],
  ['get directions between two places', 'mapbox__directions_tool', 'google-maps__maps_directions'],
  ['find documents in MongoDB', 'MongoDB__find'],
  ['insert documents into a mongodb collection', 'MongoDB__insert-many'],
  ['list the collections of a database', 'MongoDB__list-collections'],
  ['run an aggregation pipeline', 'MongoDB__aggregate', 'MongoDB__aggregate-db'],
  ['create an index on a collection', 'MongoDB__create-index'],
  ['count documents', 'MongoDB__count'],
  ['create a free Atlas cluster', 'MongoDB__atlas-create-free-cluster'],
  ['open a pull request', 'github__create_pull_request'],
  ['merge a pull request', 'github__merge_pull_request'],
  ['comment on an issue', 'github__add_issue_comment'],
  ['list commits of a branch', 'github__list_commits'],
  ['search code in github repositories', 'github__search_code'],
  ['fork a repository', 'github__fork_repository', 'gitlab__fork_repository'],
  ['create a merge request in gitlab', 'gitlab__create_merge_request'],
  ['post a message to a slack channel', 'slack__slack_post_message'],
  ['reply in a thread', 'slack__slack_reply_to_thread'],
  ['add an emoji reaction', 'slack__slack_add_reaction'],
  ['list slack channels', 'slack__slack_list_channels'],
  [
    'read a text file',
    'filesystem__read_text_file',
    'filesystem__read_file',
    'desktop-commander__read_file',
  ],
  ['write a file', 'filesystem__write_file', 'desktop-commander__write_file'],
  ['move or rename a file', 'filesystem__move_file', 'desktop-commander__move_file'],
  ['show the directory tree', 'filesystem__directory_tree'],
  ['list allowed directories', 'filesystem__list_allowed_directories'],
  ['kill a process', 'desktop-commander__kill_process'],
  [
    'take a screenshot of the page',
    'playwright__browser_take_screenshot',
    'chrome-devtools__take_screenshot',
    'puppeteer__puppeteer_screenshot',
  ],
  [
    'navigate the browser to a URL',
    'playwright__browser_navigate',
    'chrome-devtools__navigate_page',
    'puppeteer__puppeteer_navigate',
  ],
  ['fill in a form', 'playwright__browser_fill_form', 'chrome-devtools__fill_form'],
  [
    'upload a file in the browser',
    'playwright__browser_file_upload',
    'chrome-devtools__upload_file',
  ],
  [
    'list network requests',
    'chrome-devtools__list_network_requests',
    'playwright__browser_network_requests',
  ],
  ['save the page as PDF', 'playwright__browser_pdf_save'],
  ['run a lighthouse audit', 'chrome-devtools__lighthouse_audit'],
  ['record a performance trace', 'chrome-devtools__performance_start_trace'],
  ['draw a pie chart', 'chart__generate_pie_chart'],
  ['make a mind map', 'chart__generate_mind_map'],
  ['word cloud', 'chart__generate_word_cloud_chart'],
  ['organization chart of a company', 'chart__generate_organization_chart'],
  ['pod logs in kubernetes', 'kubernetes__kubectl_logs'],
  ['scale a deployment', 'kubernetes__kubectl_scale'],
  ['install a helm chart', 'kubernetes__install_helm_chart'],
  ['execute a command in a pod', 'kubernetes__exec_in_pod'],
  ['forward a port to a pod', 'kubernetes__port_forward'],
  [
    'search the web',
    'brave-search__brave_web_search',
    'tavily__tavily_search',
    'exa__web_search_exa',
    'firecrawl__firecrawl_search',
  ],
  ['scrape a web page', 'firecrawl__firecrawl_scrape'],
  ['crawl a website', 'firecrawl__firecrawl_crawl', 'tavily__tavily_crawl'],
  ['geocode an address', 'google-maps__maps_geocode', 'mapbox__search_and_geocode_tool'],
  [
    'what address is at these coordinates',
    'google-maps__maps_reverse_geocode',
    'mapbox__reverse_geocode_tool',
  ],
  ['area that can be reached within 15 minutes', 'mapbox__isochrone_tool'],
  ['elevation of a location', 'google-maps__maps_elevation'],
  ['optimize the order of stops of a route', 'mapbox__optimization_tool'],
  ['run a SQL query', 'postgres__query'],
  ['list elasticsearch indices', 'elasticsearch__list_indices'],
  ['find flaky tests', 'circleci__find_flaky_tests'],
  ['why did the build fail', 'circleci__get_build_failure_logs'],
  ['add observations to the knowledge graph', 'memory__add_observations'],
  ['documentation of a library', 'context7__query-docs', 'context7__resolve-library-id'],
  ['download images from a figma file', 'figma__download_figma_images'],
  ['add a comment to a notion page', 'notion__API-create-a-comment'],
  ['create a contact in hubspot', 'hubspot__hubspot-batch-create-objects'],
  ['associate two CRM records', 'hubspot__hubspot-batch-create-associations'],
  ['validate shopify code', 'shopify-dev__validate', 'shopify-dev__validate_theme'],
];

test(`at least 85 % of ${QUERIES.length} queries over ${tools.length} real tools find the right tool first, and 95 % among the first eight`, async () => {
  expect(tools.length).toBeGreaterThan(400);
  expect(QUERIES.length).toBeGreaterThanOrEqual(60);
  const known = new Set(tools.map(({ wireName }) => wireName));
  expect(QUERIES.flatMap(([, ...right]) => right.filter((name) => !known.has(name)))).toEqual([]);
  const ranks = await Promise.all(
    QUERIES.map(async ([query, ...right]) => ({
      query,
      rank: (await rankTools(query, tools)).findIndex(({ wireName }) => right.includes(wireName)),
    })),
  );
  const missed = ranks.filter(({ rank }) => rank !== 0);
  const lost = ranks.filter(({ rank }) => rank < 0 || rank >= 8);
  expect({ missed, isEnough: missed.length <= QUERIES.length * 0.15 }).toMatchObject({
    isEnough: true,
  });
  expect({ lost, isEnough: lost.length <= QUERIES.length * 0.05 }).toMatchObject({
    isEnough: true,
  });
});

test.each([
  ['create an issue on github', 'github__create_issue'],
  ['create a notion page', 'notion__API-post-page'],
  ['get directions between two places', 'mapbox__directions_tool'],
  ['find documents in MongoDB', 'MongoDB__find'],
])('%j finds %s among eight', async (query, name) => {
  const found = (await rankTools(query, tools)).slice(0, 8).map(({ wireName }) => wireName);
  expect(found).toContain(name);
});
