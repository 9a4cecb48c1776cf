import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DOCKERIGNORE, dockerfile, BASE_IMAGES } from './publishing/dockerfile.ts';
import { mcpbManifest } from './publishing/mcpb-manifest.ts';
import { updateServerJson, type ServerJson } from './publishing/server-json.ts';
import type { ServerManifest } from './publishing/server-manifest.ts';
import { renderFolder } from './render.ts';
import { serverNames, templateValues } from './server-names.ts';

export interface ProjectOptions {
  readonly name: string;
  readonly scope?: string | undefined;
  readonly description?: string | undefined;
  /** Folder with the tarballs of the libraries, relative to the working directory. Default: npm has them. */
  readonly libraries?: string | undefined;
}

export interface CreatedProject {
  /** Path relative to the working directory. */
  readonly folder: string;
  readonly command: string;
}

/** Folder with the templates: `server` for every server, `project` for one outside of this repository. */
export const TEMPLATES: string = fileURLToPath(new URL('../templates/', import.meta.url));

const own = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

/** Files of the template of a server that a project has in another form. */
const OF_THE_WORKSPACE = ['package.json', 'tsconfig.json', 'vitest.config.ts', 'bin.js'];

/**
 * Creates the project in a folder of the working directory: all of it or, after an error, nothing.
 * @throws Error for an option that cannot be used and for a folder that exists
 */
export function createProject(options: ProjectOptions): CreatedProject {
  const { name, scope, description, libraries } = options;
  const names = serverNames({
    name,
    ...(scope === undefined ? {} : { scope }),
    ...(description === undefined ? {} : { description }),
    isAlone: true,
  });
  const folder = resolve(name);
  if (existsSync(folder)) throw new Error(`the folder ${name} exists`);
  const versions = {
    core: libraryVersion('mcp-core', folder, libraries),
    kit: libraryVersion('server-kit', folder, libraries),
  };
  const draft = mkdtempSync(join(dirname(folder), `.${name}-`));
  try {
    const values = templateValues(names, {
      version: '0.1.0',
      coreVersion: versions.core,
      kitVersion: versions.kit,
      testArguments: '',
      program: `/path/to/${name}/bin.js`,
      pack: 'npm pack',
    });
    renderFolder(join(TEMPLATES, 'server'), draft, values);
    for (const file of OF_THE_WORKSPACE) rmSync(join(draft, file));
    renderFolder(join(TEMPLATES, 'project'), draft, values);
    renameSync(join(draft, 'gitignore'), join(draft, '.gitignore'));
    writePublishingFiles(draft);
    copyFileSync(join(TEMPLATES, '../LICENSE'), join(draft, 'LICENSE'));
    chmodSync(join(draft, 'bin.js'), 0o755);
    chmodSync(draft, 0o755);
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
  return { folder: name, command: names.command };
}
createProject.version = own.version;

function writePublishingFiles(folder: string): void {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const write = (file: string, content: unknown): void =>
    writeFileSync(join(folder, file), `${JSON.stringify(content, null, 2)}\n`);
  const manifest = read('package.json') as ServerManifest;
  const serverJson = updateServerJson(read('server.json') as ServerJson, manifest);
  write('server.json', serverJson);
  write('manifest.json', mcpbManifest(manifest, serverJson, { author: 'The author' }));
  writeFileSync(join(folder, 'Dockerfile'), dockerfile(manifest, '.', BASE_IMAGES));
  writeFileSync(join(folder, '.dockerignore'), DOCKERIGNORE);
}

/** Returns the version of a library for package.json: that of this package, or the path of a tarball. */
function libraryVersion(library: string, project: string, folder: string | undefined): string {
  if (folder === undefined) return own.version;
  const tarball = readdirSync(folder)
    .filter((file) => file.startsWith(`signalbox-${library}-`) && file.endsWith('.tgz'))
    .at(-1);
  if (tarball === undefined) throw new Error(`${folder} has no tarball of @signalbox/${library}`);
  return `file:${relative(project, resolve(folder, basename(tarball))).replaceAll('\\', '/')}`;
}
