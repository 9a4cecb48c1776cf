// Software bill of materials of a package, in CycloneDX: what npm installs with it, and what its bundle contains.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './packages.mjs';

/** A heading in THIRD-PARTY-NOTICES.txt: name, version and license of a bundled package. */
const NOTICE = /^((?:@[\w.-]+\/)?[\w.-]+) (\d+\.\d+\.\d+\S*) \(([^)\n]+)\)$/gm;

/** Returns the SBOM of a package that is installed alone in a project. */
export function sbomOf({ name, manifest }, project) {
  const sbom = JSON.parse(
    run('npm', ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev'], project),
  );
  const own = sbom.components.find((component) => fullName(component) === name);
  if (own === undefined) throw new Error(`npm sbom does not name ${name}`);
  const bundled = bundledComponents(join(project, 'node_modules', name));
  return {
    ...sbom,
    metadata: { ...sbom.metadata, component: { ...own, version: manifest.version } },
    components: [...sbom.components.filter((component) => component !== own), ...bundled],
    dependencies: sbom.dependencies.map((entry) =>
      entry.ref === own['bom-ref']
        ? {
            ...entry,
            dependsOn: [
              ...new Set([...(entry.dependsOn ?? []), ...bundled.map((each) => each['bom-ref'])]),
            ],
          }
        : entry,
    ),
  };
}

/** Returns the packages in a bundle. */
function bundledComponents(folder) {
  let notices = '';
  try {
    notices = readFileSync(join(folder, 'bundle/THIRD-PARTY-NOTICES.txt'), 'utf8');
  } catch {
    // A library bundles nothing.
  }
  return [...notices.matchAll(NOTICE)].map(([, name, version, license]) => ({
    type: 'library',
    'bom-ref': `bundled:${name}@${version}`,
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    licenses: [
      / (?:OR|AND|WITH) /.test(license) ? { expression: license } : { license: { id: license } },
    ],
  }));
}

const fullName = ({ name, group }) => (group === undefined ? name : `${group}/${name}`);

/** Returns the problems of an SBOM, one line each. */
export function sbomProblems(sbom, expected) {
  const names = sbom.components.map((component) => fullName(component));
  return [
    ...(sbom.bomFormat === 'CycloneDX' ? [] : ['sbom: not CycloneDX']),
    ...expected.filter((name) => !names.includes(name)).map((name) => `sbom: lacks ${name}`),
    ...sbom.components
      .filter(({ version, purl }) => !version || !purl)
      .map((component) => `sbom: ${component.name} lacks version or purl`),
  ];
}
