/**
 * A plugin of the build: writes down the licences of whatever is bundled, from the packages' own files. The MCP SDK
 * carries packages inside its files without theirs: those texts lie in licences/.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const licences = join(import.meta.dirname, 'licences')

const heading = 'What the files beside this one contain of other packages, and under which terms.\n'
const rule = `\n${'-'.repeat(80)}\n\n`

type Bundle = Readonly<Record<string, { readonly modules?: Readonly<Record<string, unknown>> }>>

/** Of everything that the bundles it is given to hold; the last of them to be written has all of it. */
export function thirdPartyNotices() {
  /** Who shares a text, by the text. */
  const texts = new Map<string, Set<string>>()
  const add = (name: string, text: string) => texts.set(text, (texts.get(text) ?? new Set()).add(name))
  return {
    name: 'third-party-notices',
    writeBundle({ dir = '.' }: { readonly dir?: string }, bundle: unknown) {
      const modules = Object.values(bundle as Bundle).flatMap(({ modules }) => Object.keys(modules ?? {}))
      for (const module of modules) {
        const directory = packageOf(module)
        if (!directory) continue
        add(nameOf(directory) ?? directory, licenceOf(directory))
        for (const [name, version] of carriedBy(module))
          add(
            `${name.replace('+', '/')} ${version}`,
            readFileSync(join(licences, `${name}.txt`), 'utf8').trim(),
          )
      }
      const notices = [...texts].map(([text, names]) => `${[...names].sort().join('\n')}\n\n${text}\n`)
      writeFileSync(join(dir, 'THIRD-PARTY.txt'), [heading, ...notices.sort()].join(rule))
    },
  }
}

/** The packages that a module was bundled from before it came here, as its bundler noted: `//#region .../ajv@8.18.0/...`. */
function carriedBy(module: string): [name: string, version: string][] {
  const regions = readFileSync(module, 'utf8').matchAll(
    /^\/\/#region \S*node_modules\/\.pnpm\/([^/]+?)@([^/_]+)/gm,
  )
  return [...regions].map(([, name = '', version = '']) => [name, version])
}

/** The directory of the package that a module belongs to; undefined for modules of our own. */
function packageOf(module: string): string | undefined {
  const [path = ''] = module.replace(/^\0/, '').split('?')
  if (!path.includes('node_modules')) return undefined
  let directory = dirname(path)
  // A package can have package.json files of its own further down, which name nothing.
  while (!nameOf(directory)) directory = dirname(directory)
  return directory
}

function nameOf(directory: string): string | undefined {
  const file = join(directory, 'package.json')
  if (!existsSync(file)) return undefined
  const { name, version } = JSON.parse(readFileSync(file, 'utf8'))
  return name && version ? `${name} ${version}` : undefined
}

function licenceOf(directory: string): string {
  const files = readdirSync(directory).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
  if (files.length === 0) throw new Error(`${directory} is bundled, and has no licence to pass on`)
  return files.map((file) => readFileSync(join(directory, file), 'utf8').trim()).join('\n\n')
}
