import { chownSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Container, type Mount } from './container.ts';
import type { Engines } from './engines.ts';
import {
  checkCommands,
  ownedFolder,
  PORT,
  request,
  runTask,
  token,
  withPort,
  type Check,
} from './service-checks.ts';
import { portOf, readManifests, type PodContainer, type Workload } from './settings.ts';

interface ManifestsCheck extends Check {
  readonly file: string;
  readonly engines: Engines | undefined;
}

/** Starts a pod of each workload of a file of Kubernetes manifests, calls the probes, and runs a task. */
export async function checkManifests(check: ManifestsCheck): Promise<void> {
  const { image, file, engines, folder, log } = check;
  const { workloads } = readManifests(file);
  const isStateless = workloads.every(({ kind }) => kind === 'Deployment');
  if (isStateless && engines === undefined) {
    log(`${basename(file)}: NOT CHECKED, PostgreSQL or Redis is not installed`);
    return;
  }
  const network = isStateless ? engines : undefined;
  const started: Container[] = [];
  for (const [index, workload] of workloads.entries()) {
    for (const { container, mounts } of podOf(check, workload)) {
      const env = Object.fromEntries((container.env ?? []).map(({ name, value }) => [name, value]));
      const settings = {
        name: container.name,
        args: [...container.args, '--demo'],
        env,
        mounts,
      };
      // Pods have networks of their own; here they share the one of the engines.
      const moved =
        network === undefined || index === 0 ? settings : withPort(settings, PORT + index);
      const running = new Container(image, moved, folder, network ?? started[0]);
      started.push(running);
      await probed(running, container, network === undefined ? 0 : index);
    }
  }
  const [first] = started;
  if (first === undefined) throw new Error(`${file} has no container`);
  runTask(first);
  checkCommands(first);
  const grace = Math.min(
    ...workloads.map(({ spec }) => spec.template.spec.terminationGracePeriodSeconds * 1000),
  );
  for (const { code, ms } of await Promise.all(started.map((each) => each.stop())))
    if (code !== 0 || ms > grace / 2) throw new Error(`ended with ${code} after ${ms} ms`);
  log(
    `${basename(file)}: ${started.map(({ name }) => name).join(', ')}; probes, one task, SIGTERM`,
  );
}

/** Creates the volumes of a pod and returns its containers with their mounts. */
function podOf(
  { image, file, engines, folder }: ManifestsCheck,
  { kind, metadata, spec: { template } }: Workload,
): readonly { readonly container: PodContainer; readonly mounts: readonly Mount[] }[] {
  const { configMap } = readManifests(file);
  const place = (name: string): string => join(folder, `${metadata.name}-${name}`);
  // A volume belongs to root and to the group `fsGroup`.
  const claimed = ownedFolder(place('data'), image, 0o2775);
  chownSync(claimed, 0, template.spec.securityContext.fsGroup);
  const secrets = ownedFolder(place('secrets'), image, 0o755);
  const variables = { SIGNALBOX_TOKEN: token, ...(kind === 'Deployment' ? engines?.env : {}) };
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(secrets, 'signalbox.env'), lines.join(''));
  const config = ownedFolder(place('config'), image, 0o755);
  for (const [name, text] of Object.entries(configMap.data))
    writeFileSync(join(config, name), text);

  const sources = new Map<string, string | undefined>([['data', claimed]]);
  for (const each of template.spec.volumes) {
    if (each.configMap !== undefined) sources.set(each.name, config);
    else if (each.secret !== undefined) sources.set(each.name, secrets);
    else sources.set(each.name, undefined);
  }
  return template.spec.containers.map((container) => ({
    container,
    mounts: container.volumeMounts.map(({ name, mountPath, readOnly = false }) => {
      if (!sources.has(name)) throw new Error(`${file}: there is no volume ${name}`);
      return { path: mountPath, source: sources.get(name), isReadOnly: readOnly };
    }),
  }));
}

/** Resolves when all probes succeed. `moved` is added to their ports. */
async function probed(running: Container, container: PodContainer, moved: number): Promise<void> {
  await running.started();
  const limit = performance.now() + 30_000;
  const { startupProbe, livenessProbe, readinessProbe } = container;
  for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe]) {
    const port = portOf(container, httpGet.port) + moved;
    while (request(running, 'GET', httpGet.path, { port, isAnonymous: true }).status !== 200)
      if (performance.now() > limit)
        throw new Error(`${running.name}: no answer to ${httpGet.path}\n${running.output}`);
  }
}
