import { defineConfig, type UserConfig } from 'tsdown'

const common: UserConfig = {
  format: 'esm',
  platform: 'node',
  target: 'node20',
  fixedExtension: false,
  minify: false,
}

/** The library leaves its dependencies to npm; the command line carries those it needs at the start, for each file costs start-up time. */
export default defineConfig([
  { ...common, entry: { index: 'src/index.ts' }, dts: { entry: 'src/index.ts' } },
  {
    ...common,
    entry: { cli: 'src/cli/main.ts' },
    dts: false,
    clean: false,
    outputOptions: { chunkFileNames: 'cli/[name].js' },
    deps: { alwaysBundle: ['valibot', 'smol-toml', 'toml-eslint-parser'], neverBundle: ['execa'] },
  },
])
