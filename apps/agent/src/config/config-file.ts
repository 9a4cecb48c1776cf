import { editDistance } from '../text/edit-distance.ts';
import { isPlainObject } from '../json/plain-object.ts';
import { ConfigError } from './config.ts';
import { readInputs, type ConfigInput } from './config-inputs.ts';
import { describeProblems, jsonPath } from './config-problems.ts';
import {
  configSchema,
  FOREIGN_SERVER_FIELDS,
  SERVER_FIELDS,
  type FileConfig,
  type ServerEntry,
} from './config-schema.ts';
import { parseConfigText } from './config-text.ts';
import { hostEntries, inOurWords, SERVER_SECTIONS, type HostEntry } from './host-entries.ts';
import { nearestName } from '../text/nearest-name.ts';
import { safeServerNames } from './server-name.ts';

/** A server in the file, validated except for its variables. */
export interface FileServer {
  /** Safe name for the wire names of tools. */
  readonly name: string;
  /** Name in the file. */
  readonly configuredName: string;
  /** Path of the entry in the file. */
  readonly location: readonly string[];
  /** Undefined for an unusable entry; `problems` has the reasons. */
  readonly entry: ServerEntry | undefined;
  /** Problems, each beginning with the JSON path. */
  readonly problems: readonly string[];
  readonly isRemote: boolean;
}

export interface ParsedConfig {
  readonly config: Omit<FileConfig, 'mcpServers'>;
  /** Servers that are not disabled, including unusable ones. */
  readonly servers: readonly FileServer[];
  readonly inputs: readonly ConfigInput[];
  /** Notices about ignored members. */
  readonly notices: readonly string[];
}

/**
 * Validates the text of a configuration file. An unusable server has `problems` and does not affect
 * others.
 * @throws ConfigError with every problem of the text and of the settings, one per line
 */
export function parseConfigFile(text: string, path: string): ParsedConfig {
  const input = parseConfigText(text, path);
  if (!isPlainObject(input)) throw problemsError(path, ['the file: must be an object']);
  const { own, foreign } = splitMembers(input);
  const checked = configSchema.safeParse(own);
  const problems = [
    ...sectionProblems(input),
    ...(checked.success ? [] : describeProblems(checked.error, own)),
  ];
  if (!checked.success || problems.length > 0) throw problemsError(path, problems);
  const servers = fileServers(hostEntries(input));
  return {
    config: checked.data,
    servers,
    inputs: readInputs(input['inputs']),
    notices: [
      ...(foreign.length === 0 ? [] : [`${path}: ${foreign.join(', ')}: not read`]),
      ...servers.flatMap(unreadFields).map((problem) => `${path}: ${problem}`),
    ],
  };
}

/** Returns an error `path: problem`, or with a list of several problems. */
export function problemsError(path: string, problems: readonly string[]): ConfigError {
  return new ConfigError(
    problems.length === 1
      ? `${path}: ${problems[0] ?? ''}`
      : `${path}:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
  );
}

const OWN_MEMBERS = Object.keys(configSchema.shape).filter((name) => name !== 'mcpServers');
const SECTIONS: readonly string[] = [...SERVER_SECTIONS, 'inputs'];
/**
 * Members that could hold a secret. They are refused instead of ignored; see `describeProblems`.
 */
const SECRET_MEMBERS: readonly string[] = ['token', 'api_key', 'apiKey'];

/**
 * Separates Signalbox's settings, including probable misspellings, from members that other programs
 * keep in the same file.
 */
function splitMembers(input: { readonly [name: string]: unknown }): {
  readonly own: object;
  readonly foreign: readonly string[];
} {
  const names = Object.keys(input).filter((name) => !SECTIONS.includes(name));
  const isOwn = (name: string): boolean =>
    OWN_MEMBERS.includes(name) || SECRET_MEMBERS.includes(name) || isMisspelled(name);
  return {
    own: Object.fromEntries(names.filter(isOwn).map((name) => [name, input[name]])),
    foreign: names.filter((name) => !isOwn(name)),
  };
}

function isMisspelled(name: string): boolean {
  return [...OWN_MEMBERS, ...SECTIONS].some(
    (known) => editDistance(name.toLowerCase(), known.toLowerCase()) <= (known.length > 3 ? 2 : 1),
  );
}

/** Validates one entry of `mcpServers` except for its variables. `unread`: its members that are not read, as problems. */
export function checkServerEntry(
  name: string,
  entry: { readonly [member: string]: unknown },
): { readonly server: FileServer; readonly unread: readonly string[] } {
  const server = fileServer(
    { configuredName: name, location: ['mcpServers', name], entry: inOurWords(entry) },
    name,
  );
  const ignored = FOREIGN_SERVER_FIELDS.filter((field) => Object.hasOwn(entry, field)).map(
    (field) => `${jsonPath([...server.location, field])} is not read; leave it out`,
  );
  return { server, unread: [...unreadFields(server), ...ignored] };
}

function sectionProblems(input: { readonly [name: string]: unknown }): readonly string[] {
  return SERVER_SECTIONS.filter(
    (section) => input[section] !== undefined && !isPlainObject(input[section]),
  ).map((section) => `${section}: must be an object`);
}

function fileServers(entries: readonly HostEntry[]): readonly FileServer[] {
  const names = safeServerNames(entries.map(({ configuredName }) => configuredName));
  const seen = new Set<string>();
  return entries.flatMap(({ configuredName, location, entry }) => {
    // If sections of several hosts name the same server, the first counts.
    if (seen.has(configuredName)) return [];
    seen.add(configuredName);
    const name = names.get(configuredName) ?? configuredName;
    return [fileServer({ configuredName, location, entry }, name)];
  });
}

function fileServer({ configuredName, location, entry }: HostEntry, name: string): FileServer {
  return {
    name,
    configuredName,
    location,
    ...checkedEntry(entry, location),
    isRemote: isPlainObject(entry) && 'url' in entry,
  };
}

function checkedEntry(
  entry: unknown,
  location: readonly [string, string],
): Pick<FileServer, 'entry' | 'problems'> {
  const [section, name] = location;
  const type = isPlainObject(entry) ? String(entry['type']) : '';
  if (/^(?:ws|websocket)$/i.test(type)) {
    return {
      entry: undefined,
      problems: [
        `${jsonPath([section, name, 'type'])}: servers are reached by "http" and "sse", not by WebSocket; remove the entry or set "disabled": true`,
      ],
    };
  }
  const input = { mcpServers: { [name]: entry } };
  const checked = configSchema.safeParse(input);
  if (!checked.success)
    return {
      entry: undefined,
      problems: describeProblems(checked.error, input).map((problem) =>
        problem.replace(/^mcpServers/, section),
      ),
    };
  return { entry: checked.data.mcpServers?.[name], problems: [] };
}

const POLICY_FIELDS: readonly string[] = [
  'trust',
  'allow',
  'deny',
  'roots',
  'era',
  'approval',
  'approvals',
  'sampling',
  'samplingReview',
  'maxMessageBytes',
  'connections',
  'singleton',
  'connectMs',
  'callsPerMinute',
];
const OTHER_NAMES: { readonly [field: string]: string } = {
  includeTools: 'signalbox.allow',
  excludeTools: 'signalbox.deny',
  disabledTools: 'signalbox.deny',
};

function unreadFields({ entry = {}, location }: FileServer): readonly string[] {
  return Object.keys(entry)
    .filter((field) => !SERVER_FIELDS.includes(field) && !FOREIGN_SERVER_FIELDS.includes(field))
    .map((field) => {
      const meant = POLICY_FIELDS.includes(field)
        ? `signalbox.${field}`
        : (OTHER_NAMES[field] ?? nearestName(field, SERVER_FIELDS));
      return `${jsonPath([...location, field])} is not read${meant === undefined ? '' : `; use "${meant}"`}`;
    });
}
