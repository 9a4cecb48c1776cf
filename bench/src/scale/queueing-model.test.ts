import { expect, test } from 'vitest';
import { predict } from './queueing-model.ts';

const cpu = { name: 'cpu', demand: 0.004, servers: 1 };

test('one run takes the sum of its demands and its delay', () => {
  const { throughput, residence } = predict({ stations: [cpu], delay: 0.006 }, 1);
  expect(throughput).toBeCloseTo(100);
  expect(residence).toBeCloseTo(0.004);
});

test('many runs are limited by the busiest station', () => {
  const disk = { name: 'disk', demand: 0.01, servers: 1 };
  expect(predict({ stations: [cpu, disk], delay: 0 }, 200)).toMatchObject({
    bottleneck: 'disk',
    throughput: expect.closeTo(100, 1) as number,
    utilization: expect.closeTo(1, 2) as number,
  });
});

test('servers multiply the limit of a station', () => {
  const { throughput } = predict({ stations: [{ ...cpu, servers: 4 }], delay: 0 }, 500);
  expect(throughput).toBeCloseTo(1000, 0);
});

test('two runs at one station with equal delay have the throughput of the machine repair model', () => {
  // States with 0, 1 and 2 runs at the station have the weights 1, 2 and 2.
  const { throughput } = predict({ stations: [{ ...cpu, demand: 1 }], delay: 1 }, 2);
  expect(throughput).toBeCloseTo(4 / 5);
});

test('a network without stations is only delayed', () => {
  expect(predict({ stations: [], delay: 2 }, 10)).toMatchObject({ throughput: 5, residence: 0 });
});
