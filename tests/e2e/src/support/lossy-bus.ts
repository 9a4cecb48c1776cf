import type { TestHooks } from '@signalbox/agent';

type Bus = Parameters<NonNullable<TestHooks['bus']>>[0];

/** A bus that loses every second signal on average. */
export function lossyBus(bus: Bus): Bus {
  return {
    publish(signal) {
      if (Math.random() < 0.5) bus.publish(signal);
    },
    subscribe: (topic, listener) => bus.subscribe(topic, listener),
  };
}
