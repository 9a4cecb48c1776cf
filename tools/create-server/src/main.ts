import { parseArgs } from 'node:util';
import { createProject } from './create-project.ts';

const USAGE = `Usage: npm create @signalbox/server NAME -- [options]

Creates a project with an MCP server in the folder NAME.

Options:
  --scope SCOPE           scope of the package, and prefix of its command (default: none)
  --description TEXT      one line for package.json, README and --help
  --libraries FOLDER      folder with the packed libraries, for versions that npm does not have
  --version               prints the version
  --help                  prints this text
`;

/** Runs the command line of `npm create @signalbox/server`. Returns the exit code. */
export function run(args: readonly string[]): number {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        scope: { type: 'string' },
        description: { type: 'string' },
        libraries: { type: 'string' },
        version: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    });
    const { help, version, ...options } = values;
    const [name, ...more] = positionals;
    if (help === true) process.stdout.write(USAGE);
    else if (version === true) process.stdout.write(`create-server ${createProject.version}\n`);
    else if (name === undefined || more.length > 0) throw new Error('name one folder');
    else {
      const { folder, command } = createProject({ name, ...options });
      process.stdout.write(
        `${folder} is ready. In it: npm install, npm test, and then npx ${command} --help\n`,
      );
    }
    return 0;
  } catch (error) {
    process.stderr.write(
      `create-server: ${error instanceof Error ? error.message : String(error)} (see --help)\n`,
    );
    return 1;
  }
}
