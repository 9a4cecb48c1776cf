// npm run check-image: executes the steps of deploy/Dockerfile without Docker, and starts containers from the result as compose.yaml and the Kubernetes manifests
// say; then the same for the Dockerfile of each server. Needs Linux on Debian, root, and the registries of npm and Debian. `-- --base FOLDER` takes the root folder of a Debian base system in place of this machine's.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildAndCheck } from './build-and-check.ts';

const [flag, base] = process.argv.slice(2);

/** Returns the reason why this machine cannot execute the steps. */
function missing(): string | undefined {
  if (process.platform !== 'linux' || !existsSync('/etc/debian_version')) return 'no Debian system';
  if (process.getuid?.() !== 0) return 'not run as root';
  const lacking = ['unshare', 'nsenter', 'setpriv', 'ip', 'apt-get'].filter(
    (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0,
  );
  if (lacking.length > 0) return `no ${lacking.join(', ')}`;
  // A container is often not allowed to.
  const { status } = spawnSync('unshare', ['--mount', '--pid', '--net', '--fork', 'true']);
  return status === 0 ? undefined : 'namespaces cannot be created';
}

const problem = missing();
if (problem !== undefined) {
  process.stderr.write(`check-image: NOT CHECKED, ${problem}\n`);
  process.exitCode = process.env['CI'] === undefined ? 0 : 1;
} else if (process.env['CHECK_IMAGE_FOLDER'] === undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'check-image-'));
  // The mounts and all processes end with their namespaces, also when a check fails.
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const args = [...namespaces, process.execPath, import.meta.filename];
  const { status } = spawnSync('unshare', [...args, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, CHECK_IMAGE_FOLDER: folder },
  });
  rmSync(folder, { recursive: true, force: true });
  process.exitCode = status ?? 1;
} else {
  // Process 1 of a namespace ignores the signals that it does not handle.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  await buildAndCheck(process.env['CHECK_IMAGE_FOLDER'], flag === '--base' ? base : undefined);
}
