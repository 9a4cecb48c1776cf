import { readFileSync } from 'node:fs';
import { parse, parseAllDocuments } from 'yaml';

/** A service of compose.yaml, as far as the checks read it. */
export interface ComposeService {
  readonly image?: string;
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
  readonly networks?: readonly string[];
  readonly healthcheck?: object;
}

export interface ComposeFile {
  readonly services: { readonly [name: string]: ComposeService };
  readonly volumes: { readonly [name: string]: unknown };
  readonly networks: { readonly [name: string]: unknown };
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

/** A StatefulSet or a Deployment. */
export interface Workload {
  readonly kind: 'StatefulSet' | 'Deployment';
  readonly apiVersion: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly replicas: number;
    readonly selector: { readonly matchLabels: Labels };
    readonly template: {
      readonly metadata: { readonly labels: Labels };
      readonly spec: PodSpec;
    };
    /** Name of the Service of a StatefulSet. */
    readonly serviceName?: string;
    readonly volumeClaimTemplates?: readonly {
      readonly metadata: { readonly name: string };
      readonly spec: { readonly accessModes: readonly string[] };
    }[];
  };
}

interface Labels {
  readonly [label: string]: string;
}

interface PodSpec {
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
}

/** An object that names a workload or selects its pods. */
export interface Companion {
  readonly kind: 'HorizontalPodAutoscaler' | 'PodDisruptionBudget';
  readonly spec: {
    readonly selector?: { readonly matchLabels: Labels };
    readonly scaleTargetRef?: { readonly kind: string; readonly name: string };
    readonly metrics?: readonly {
      readonly external: {
        readonly metric: {
          readonly name: string;
          readonly selector: { readonly matchLabels: Labels };
        };
      };
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
    readonly selector: Labels;
    readonly ports: readonly { readonly port: number; readonly targetPort: string }[];
  };
}

/** The objects of a file of Kubernetes manifests, which has one ConfigMap and one Service. */
export interface Manifests {
  readonly workloads: readonly Workload[];
  readonly configMap: ConfigMap;
  readonly service: Service;
  readonly companions: readonly Companion[];
}

/** Reads a file of Kubernetes manifests. @throws Error for invalid YAML and for a missing or an unknown kind */
export function readManifests(path: string): Manifests {
  const documents = parseAllDocuments(readFileSync(path, 'utf8'), { strict: true });
  const workloads: Workload[] = [];
  const companions: Companion[] = [];
  let configMap: ConfigMap | undefined;
  let service: Service | undefined;
  for (const document of documents) {
    if (document.errors.length > 0) throw new Error(`${path}: ${document.errors.join(', ')}`);
    const object = document.toJS() as Workload | Companion | ConfigMap | Service;
    switch (object.kind) {
      case 'StatefulSet':
      case 'Deployment':
        workloads.push(object);
        break;
      case 'HorizontalPodAutoscaler':
      case 'PodDisruptionBudget':
        companions.push(object);
        break;
      case 'ConfigMap':
        configMap = object;
        break;
      case 'Service':
        service = object;
        break;
      default:
        throw new Error(`${path} has an object of a kind that the checks do not know`);
    }
  }
  if (workloads.length === 0 || configMap === undefined || service === undefined)
    throw new Error(`${path} lacks a workload, a ConfigMap or a Service`);
  return { workloads, configMap, service, companions };
}

/** Returns the number of the port that a container names. */
export function portOf(container: PodContainer, port: string | number): number {
  const found = container.ports.find(({ name }) => name === port)?.containerPort;
  if (typeof port === 'number') return port;
  if (found === undefined) throw new Error(`${container.name} has no port ${port}`);
  return found;
}
