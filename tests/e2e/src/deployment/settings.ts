import { readFileSync } from 'node:fs';
import { parse, parseAllDocuments } from 'yaml';

/** A service of compose.yaml, as far as the checks read it. */
export interface ComposeService {
  readonly profiles?: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: { readonly [name: string]: string };
  readonly env_file?: readonly string[];
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly read_only?: boolean;
  readonly tmpfs?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly stop_grace_period?: string;
}

export interface ComposeFile {
  readonly services: { readonly [name: string]: ComposeService };
  readonly volumes: { readonly [name: string]: unknown };
}

/** Reads a Compose file, with its anchors and merge keys resolved. */
export function readCompose(path: string): ComposeFile {
  return parse(readFileSync(path, 'utf8'), { merge: true, strict: true }) as ComposeFile;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string | number };
  readonly periodSeconds: number;
  readonly failureThreshold?: number;
}

/** A container of a pod, as far as the checks read it. */
export interface PodContainer {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly resources: {
    readonly requests: { readonly cpu: string; readonly memory: string };
    readonly limits: { readonly memory: string };
  };
  readonly securityContext: {
    readonly allowPrivilegeEscalation: boolean;
    readonly readOnlyRootFilesystem: boolean;
    readonly capabilities: { readonly drop: readonly string[] };
  };
  readonly volumeMounts: readonly {
    readonly name: string;
    readonly mountPath: string;
    readonly readOnly?: boolean;
  }[];
}

export interface PodVolume {
  readonly name: string;
  readonly configMap?: { readonly name: string };
  readonly secret?: { readonly secretName: string };
  readonly emptyDir?: object;
}

export interface StatefulSet {
  readonly kind: 'StatefulSet';
  readonly apiVersion: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly serviceName: string;
    readonly replicas: number;
    readonly selector: { readonly matchLabels: { readonly [label: string]: string } };
    readonly template: {
      readonly metadata: { readonly labels: { readonly [label: string]: string } };
      readonly spec: {
        readonly automountServiceAccountToken: boolean;
        readonly terminationGracePeriodSeconds: number;
        readonly securityContext: {
          readonly runAsNonRoot: boolean;
          readonly runAsUser: number;
          readonly runAsGroup: number;
          readonly fsGroup: number;
          readonly seccompProfile: { readonly type: string };
        };
        readonly containers: readonly PodContainer[];
        readonly volumes: readonly PodVolume[];
      };
    };
    readonly volumeClaimTemplates: readonly {
      readonly metadata: { readonly name: string };
      readonly spec: { readonly accessModes: readonly string[] };
    }[];
  };
}

export interface ConfigMap {
  readonly kind: 'ConfigMap';
  readonly metadata: { readonly name: string };
  readonly data: { readonly [file: string]: string };
}

export interface Service {
  readonly kind: 'Service';
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly selector: { readonly [label: string]: string };
    readonly ports: readonly { readonly port: number; readonly targetPort: string }[];
  };
}

/** The objects of a file of Kubernetes manifests, which has one of each kind. */
export interface Manifests {
  readonly statefulSet: StatefulSet;
  readonly configMap: ConfigMap;
  readonly service: Service;
}

/** Reads a file of Kubernetes manifests. @throws Error for invalid YAML and for a missing or an unknown kind */
export function readManifests(path: string): Manifests {
  const objects = parseAllDocuments(readFileSync(path, 'utf8'), { strict: true }).map(
    (document) => {
      if (document.errors.length > 0) throw new Error(`${path}: ${document.errors.join(', ')}`);
      return document.toJS() as StatefulSet | ConfigMap | Service;
    },
  );
  const [statefulSet] = objects.filter((each) => each.kind === 'StatefulSet');
  const [configMap] = objects.filter((each) => each.kind === 'ConfigMap');
  const [service] = objects.filter((each) => each.kind === 'Service');
  if (
    statefulSet === undefined ||
    configMap === undefined ||
    service === undefined ||
    objects.length !== 3
  )
    throw new Error(`${path} has other kinds than one StatefulSet, one ConfigMap and one Service`);
  return { statefulSet, configMap, service };
}

/** Returns the number of the port that a container names. */
export function portOf(container: PodContainer, port: string | number): number {
  const found = container.ports.find(({ name }) => name === port)?.containerPort;
  if (typeof port === 'number') return port;
  if (found === undefined) throw new Error(`${container.name} has no port ${port}`);
  return found;
}
