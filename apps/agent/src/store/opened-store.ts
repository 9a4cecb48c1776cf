import type { Clock } from '../ports/clock.ts';
import type { SignalBus } from '../ports/signal-bus.ts';
import type { Store } from '../ports/store.ts';
import type { FleetStore } from '../ports/store/fleet.ts';
import type { HandedJobs } from '../ports/store/handed-jobs.ts';
import type { SecretStore } from '../ports/store/secrets.ts';
import type { ServerOwners } from '../ports/store/server-owners.ts';
import type { ToolPins } from '../ports/tool-pins.ts';

/** A store with the stores of single adapters. */
export interface OpenedStore extends Store {
  /** The time of the store, which is that of its leases. */
  readonly clock: Clock;
  readonly toolPins: ToolPins;
  readonly fleet: FleetStore;
  readonly handedJobs: HandedJobs;
  readonly serverOwners: ServerOwners;
  readonly secrets: SecretStore;
  /**
   * Delivers the signals of other processes to the bus of this process until the store is closed.
   * Returns the bus on which this process publishes. Called once.
   */
  shareSignals(bus: SignalBus): SignalBus;
}
