// node ../../tools/clean-dist.mjs: removes from dist what has no source any more. The compiler leaves it there, and npm pack would ship it.
import { existsSync, globSync, rmSync } from 'node:fs';

for (const file of globSync('dist/**/*.{js,mjs,d.ts,d.mts,map}')) {
  const source = file
    .replaceAll('\\', '/')
    .replace(/^dist\//, 'src/')
    .replace(/(?:\.d)?\.(m?)[jt]s(?:\.map)?$/, '.$1ts');
  if (
    ![source, source.replace(/ts$/, 'tsx'), source.replace(/ts$/, 'js')].some((path) =>
      existsSync(path),
    )
  )
    rmSync(file);
}
