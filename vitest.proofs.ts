import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** Writes what the passed tests prove of the specification, as their `meta.proofs` say, beside the other results of the package. */
export default class ProofsReporter implements Reporter {
  #root = process.cwd();

  onInit(vitest: Vitest): void {
    this.#root = vitest.config.root;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const proofs = modules.flatMap((module) =>
      [...module.children.allTests('passed')].flatMap(
        (test) => (test.meta() as { proofs?: object[] }).proofs ?? [],
      ),
    );
    const folder = join(this.#root, '.results');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'proofs.json'), JSON.stringify(proofs));
  }
}
