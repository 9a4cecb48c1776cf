import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)\b/i;
/** The last section of a readme, if it grants a licence and does not only name it. */
const LICENCE_SECTION =
  /^#+ licen[cs]e\s*$(?![^]*^#+ )(?<text>[^]*\bPermission is hereby granted\b[^]*)/im;
/** The folder of an installed package in the path of a file; a module that a plugin makes has a `:` before it. */
const INSTALLED = /^[^:]*\bnode_modules\/(?:@[^/]+\/)?[^/]+/;

/**
 * Names, versions and licence texts of the installed packages that a bundler put into its outputs, sorted by name.
 * @param {readonly { outputs: { [output: string]: { inputs: { [file: string]: { bytesInOutput: number } } } } }[]} metafiles of esbuild, or of their form
 * @param {string} folder that the paths of the files are relative to
 * @throws Error when a package names no license or has no file with its text, and so must not be shipped
 */
export function thirdPartyNotices(metafiles, folder = process.cwd()) {
  const notices = [...bundledFolders(metafiles)].map((path) => notice(join(folder, path)));
  // A version may be installed in several folders.
  const packages = [...new Map(notices.map((each) => [each.title, each])).values()].toSorted(
    (a, b) => (a.title < b.title ? -1 : 1),
  );
  const intro =
    packages.length === 0
      ? 'This package contains no software of others.'
      : 'This package contains the following software, under the licences below.';
  return `${[intro, ...packages.map(({ title, text }) => `${'-'.repeat(80)}\n${title}\n\n${text}`)].join('\n\n')}\n`;
}

/** @param {Parameters<typeof thirdPartyNotices>[0]} metafiles */
function bundledFolders(metafiles) {
  const used = metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).flatMap(([file, { bytesInOutput }]) =>
        bytesInOutput > 0 ? [file] : [],
      ),
    ),
  );
  return new Set(used.flatMap((file) => INSTALLED.exec(file)?.[0] ?? []));
}

/** @param {string} folder */
function notice(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder)
    .filter((file) => LICENCE_FILE.test(file))
    .toSorted();
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  if (files.length === 0) texts.push(...licenceInReadme(folder));
  if (typeof license !== 'string' || texts.length === 0) {
    throw new Error(
      `${name} ${version} is in the bundle, but ${typeof license === 'string' ? 'its folder has no licence file' : 'its package.json has no "license"'}. Use another package, or leave this one out of the bundle by "dependencies".`,
    );
  }
  return {
    title: `${name} ${version} (${license})`,
    text: texts.join('\n\n'),
  };
}

/** @param {string} folder */
function licenceInReadme(folder) {
  const readme = readdirSync(folder).find((file) => /^readme\.md$/i.test(file));
  const text =
    readme && LICENCE_SECTION.exec(readFileSync(join(folder, readme), 'utf8'))?.groups?.text;
  return text ? [text.trim()] : [];
}
