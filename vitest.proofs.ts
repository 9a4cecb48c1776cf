import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

/** Writes what the passed tests of each package prove of the specification, as their `meta.proofs` say, to its folder of results. */
export default class ProofsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const root of new Set(modules.map((module) => module.project.config.root))) {
      const ofPackage = modules.filter((module) => module.project.config.root === root);
      const proofs = ofPackage.flatMap((module) =>
        [...module.children.allTests('passed')].flatMap(
          (test) => (test.meta() as { proofs?: object[] }).proofs ?? [],
        ),
      );
      const folder = join(root, '.results');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'proofs.json'), JSON.stringify(proofs));
    }
  }
}
