/** A station at which a turn is served. */
export interface Station {
  readonly name: string;
  /** Seconds of service that a turn needs. */
  readonly demand: number;
  /** Servers that work at the same time: cores, or processes with one thread. */
  readonly servers: number;
}

export interface Network {
  readonly stations: readonly Station[];
  /** Seconds of a turn in which it occupies no station: the model, the tool, the disk, the network. */
  readonly delay: number;
}

export interface Prediction {
  /** Turns a second. */
  readonly throughput: number;
  /** Seconds that a turn takes, without `delay`. */
  readonly residence: number;
  /** Station with the highest utilization, and that utilization, 0 to 1. */
  readonly bottleneck: string;
  readonly utilization: number;
}

/**
 * Predicts a closed network with `runs` runs, each of which is always in a turn, by exact mean value
 * analysis. A station with several servers is approximated by a faster server and a delay.
 * @see https://doi.org/10.1145/322186.322195 Reiser and Lavenberg, 1980
 * @see https://doi.org/10.1145/42372.42384 Seidmann, Schweitzer and Shalev-Oren, 1987
 */
export function predict({ stations, delay }: Network, runs: number): Prediction {
  const queued = stations.map(() => 0);
  let throughput = 0;
  let residence = 0;
  for (let population = 1; population <= runs; population += 1) {
    const residences = stations.map(
      ({ demand, servers }, index) =>
        (demand / servers) * (1 + (queued[index] ?? 0)) + (demand * (servers - 1)) / servers,
    );
    residence = residences.reduce((sum, each) => sum + each, 0);
    throughput = population / (delay + residence);
    stations.forEach(({ demand, servers }, index) => {
      const inDelay = (demand * (servers - 1)) / servers;
      queued[index] = throughput * ((residences[index] ?? 0) - inDelay);
    });
  }
  const loads = stations.map(({ name, demand, servers }) => ({
    bottleneck: name,
    utilization: (throughput * demand) / servers,
  }));
  const busiest = loads.toSorted((a, b) => b.utilization - a.utilization)[0];
  return {
    throughput,
    residence,
    ...(busiest ?? { bottleneck: 'none', utilization: 0 }),
  };
}
