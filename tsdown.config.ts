import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: { index: 'src/index.ts', cli: 'src/cli/main.ts' },
  format: 'esm',
  platform: 'node',
  target: 'node20',
  dts: { entry: 'src/index.ts' },
  fixedExtension: false,
  minify: false,
  deps: {},
})
