import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeDirectory } from '../../helpers/place.ts'
import { webServer } from '../surroundings.ts'

/** A server that has one package for each tool as files. Every name of a test leads to it. */
export async function openRegistry() {
  const root = makeDirectory()
  const { port, asked } = await webServer(({ url = '' }) => fileOf(root, url))
  fill(root, port)
  return { port, asked }
}

function fileOf(root: string, url: string): Buffer | undefined {
  const path = decodeURIComponent(url.replace(/\?.*/, '')).replace(/\/$/, '/index.html')
  try {
    return readFileSync(join(root, path))
  } catch {
    return undefined
  }
}

const zip = `import sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w') as file:
    for name, text in zip(sys.argv[2::2], sys.argv[3::2]): file.writestr(name, text)`

function fill(root: string, port: number): void {
  const put = (path: string, content: string | Buffer) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  const made = makeDirectory()
  const packed = (directory: string, files: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(made, directory, name)), { recursive: true })
      writeFileSync(join(made, directory, name), text)
    }
    return execFileSync('tar', ['-cz', '-C', made, directory], { stdio: 'pipe' })
  }
  const zipped = (...files: readonly string[]) => {
    execFileSync('python3', ['-c', zip, join(made, 'zip'), ...files])
    return readFileSync(join(made, 'zip'))
  }
  fillNpm(put, port, packed('package', { 'package.json': '{"name":"demo","version":"1.0.0"}' }))
  const metadata = 'Metadata-Version: 2.1\nName: demo\nVersion: 1.0.0\n'
  const wheel = 'Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n'
  const info = (name: string) => `demo-1.0.0.dist-info/${name}`
  const files = [info('METADATA'), metadata, info('WHEEL'), wheel, info('RECORD'), '']
  put('simple/demo/index.html', '<a href="demo-1.0.0-py3-none-any.whl">demo-1.0.0-py3-none-any.whl</a>')
  put('simple/demo/demo-1.0.0-py3-none-any.whl', zipped(...files))
  const manifest = '[package]\nname = "demo"\nversion = "1.0.0"\nedition = "2021"\n'
  fillCargo(put, port, packed('demo-1.0.0', { 'Cargo.toml': manifest, 'src/lib.rs': '' }))
  put('go/demo.example/demo/@v/list', 'v1.0.0\n')
  put('go/demo.example/demo/@v/v1.0.0.info', '{"Version":"v1.0.0"}')
  put('go/demo.example/demo/@v/v1.0.0.mod', 'module demo.example/demo\n')
  put(
    'go/demo.example/demo/@v/v1.0.0.zip',
    zipped('demo.example/demo@v1.0.0/go.mod', 'module demo.example/demo\n'),
  )
  fillGit(root)
  put('page.txt', 'the page')
}

type Put = (path: string, content: string | Buffer) => void

function fillNpm(put: Put, port: number, tarball: Buffer): void {
  const shasum = createHash('sha1').update(tarball).digest('hex')
  const dist = { tarball: `http://127.0.0.1:${port}/npm/demo-1.0.0.tgz`, shasum }
  const version = { name: 'demo', version: '1.0.0', dist }
  put(
    'npm/demo',
    JSON.stringify({ name: 'demo', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } }),
  )
  put('npm/demo-1.0.0.tgz', tarball)
}

function fillCargo(put: Put, port: number, crate: Buffer): void {
  const cksum = createHash('sha256').update(crate).digest('hex')
  put('index/config.json', JSON.stringify({ dl: `http://127.0.0.1:${port}/crates/{crate}` }))
  put(
    'index/de/mo/demo',
    `${JSON.stringify({ name: 'demo', vers: '1.0.0', deps: [], cksum, features: {}, yanked: false })}\n`,
  )
  put('crates/demo', crate)
}

function fillGit(root: string): void {
  const work = makeDirectory()
  const git = (...args: readonly string[]) => execFileSync('git', ['-C', work, ...args], { stdio: 'pipe' })
  git('init', '-q', '-b', 'main')
  git('-c', 'user.name=x', '-c', 'user.email=x@example.org', 'commit', '-q', '--allow-empty', '-m', 'demo')
  git('clone', '-q', '--bare', work, join(root, 'demo.git'))
  execFileSync('git', ['-C', join(root, 'demo.git'), 'update-server-info'])
}
