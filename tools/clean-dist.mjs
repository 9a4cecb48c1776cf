// node ../../tools/clean-dist.mjs: removes files without a source from dist. The compiler leaves them there, and npm pack would include them.
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
