import { isBuiltin } from 'node:module';
import { posix } from 'node:path';

/** A project of the workspace, as the boundary check reads it. */
export interface Project {
  readonly name: string;
  /** Folder relative to the root of the workspace. */
  readonly root: string;
  readonly tags: readonly string[];
  /** Names of the workspace projects its package.json depends on. */
  readonly dependencies: readonly string[];
  /** Packages that its package.json declares, including third-party ones. */
  readonly declared: ReadonlySet<string>;
  readonly files: readonly SourceFile[];
}

export interface SourceFile {
  /** Path relative to the root of the workspace, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

const mayDependOn: { readonly [layer: string]: readonly string[] } = {
  'layer:core': [],
  'layer:client': [],
  'layer:console': ['layer:client'],
  'layer:files': [],
  'layer:generator': [],
  'layer:kit': ['layer:core'],
  'layer:server': ['layer:core', 'layer:files', 'layer:kit'],
  'layer:app': ['layer:core', 'layer:client', 'layer:console', 'layer:server'],
  'layer:example': ['layer:core'],
  'layer:test-support': ['layer:core'],
  'layer:test': [
    'layer:core',
    'layer:client',
    'layer:console',
    'layer:files',
    'layer:kit',
    'layer:server',
    'layer:app',
    'layer:test-support',
  ],
  'layer:tool': ['layer:core', 'layer:generator'],
};

/** Tests and files that only tests import. */
const FOR_TESTS = /\.(?:test|contract|test\.support)\.ts$|\/testing(?:\/|\.ts$)/;

/** Layers of packages that an app uses without an import: it starts servers as programs and ships the files of the console. */
const NEVER_IMPORTED: { readonly [layer: string]: string } = {
  'layer:server': 'a server: {project} may start it as a program only',
  'layer:console': 'the console: {project} may ship its files only',
};

/** Folder of third-party packages that only tests may import; not a project. */
const PEERS = 'tests/peers/';

const STATIC_IMPORT = /^(?:import|export|\})(?:[^'"\n]*\bfrom)?\s*['"]([^'"\n]+)['"]/gm;
const DYNAMIC_IMPORT =
  /(?<![#.\w])(?:import|require|import\.meta\.resolve)\(\s*(?:\/\*.*?\*\/\s*)?(['"`])([^'"`\n]+)\1/g;

/**
 * Returns every dependency that the layers forbid, every undeclared import and every path that leaves its package. Test files and tools may also import
 * development dependencies of the root package.json.
 */
export function boundaryProblems(
  projects: readonly Project[],
  rootDevelopment: ReadonlySet<string>,
): readonly string[] {
  const layerOf = new Map(projects.map((project) => [project.name, layer(project)]));
  return projects.flatMap((project) => [
    ...edgeProblems(project, layerOf),
    ...importProblems(project, { rootDevelopment, layerOf }),
  ]);
}

function layer(project: Project): string | undefined {
  const layers = project.tags.filter((tag) => tag in mayDependOn);
  return layers.length === 1 ? layers[0] : undefined;
}

function edgeProblems(
  project: Project,
  layerOf: ReadonlyMap<string, string | undefined>,
): readonly string[] {
  const own = layerOf.get(project.name);
  if (own === undefined)
    return [`${project.name}: needs exactly one known layer: tag, has "${project.tags.join(' ')}"`];
  const allowed = mayDependOn[own] ?? [];
  return project.dependencies
    .filter((target) => layerOf.has(target) && !allowed.includes(layerOf.get(target) ?? ''))
    .map(
      (target) => `${project.name} (${own}) may not depend on ${target} (${layerOf.get(target)})`,
    );
}

interface ImportContext {
  readonly rootDevelopment: ReadonlySet<string>;
  readonly layerOf: ReadonlyMap<string, string | undefined>;
}

function importProblems(
  project: Project,
  { rootDevelopment, layerOf }: ImportContext,
): readonly string[] {
  const own = layer(project);
  return project.files.flatMap((file) => {
    const mayUseRoot = own === 'layer:tool' || FOR_TESTS.test(file.path);
    const specifiers = specifiersOf(file.text);
    const undeclared = [...packagesOf(specifiers)]
      .filter(
        (name) =>
          name !== project.name &&
          !project.declared.has(name) &&
          !(mayUseRoot && rootDevelopment.has(name)),
      )
      .map(
        (name) =>
          `${file.path}: imports ${name}, which the package.json of ${project.name} does not declare`,
      );
    const outside = [...specifiers]
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => posix.join(posix.dirname(file.path), specifier))
      .filter(
        (target) =>
          !target.startsWith(`${project.root}/`) &&
          !(own === 'layer:test' && target.startsWith(PEERS)),
      )
      .map((target) => `${file.path}: imports ${target}, which is outside of ${project.name}`);
    const files = [...packagesOf(specifiers)].flatMap((name) => {
      const reason = own === 'layer:app' ? NEVER_IMPORTED[layerOf.get(name) ?? ''] : undefined;
      if (reason === undefined) return [];
      return `${file.path}: imports ${name}, ${reason.replace('{project}', project.name)}`;
    });
    return [...undeclared, ...outside, ...files];
  });
}

function specifiersOf(text: string): ReadonlySet<string> {
  const fixed = [...text.matchAll(STATIC_IMPORT)].map((match) => match[1] ?? '');
  const dynamic = [...text.matchAll(DYNAMIC_IMPORT)].map((match) => match[2] ?? '');
  return new Set([...fixed, ...dynamic].filter((specifier) => !specifier.includes('${')));
}

function packagesOf(specifiers: ReadonlySet<string>): ReadonlySet<string> {
  const foreign = [...specifiers].filter(
    (specifier) => !specifier.startsWith('.') && !isBuiltin(specifier),
  );
  return new Set(
    foreign.map((specifier) =>
      specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/'),
    ),
  );
}
