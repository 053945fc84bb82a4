import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { goodAt } from '../surroundings.ts'
import { openRegistry } from './registry.ts'
import { listsRefused, openHostShell } from './surroundings.ts'

const javaProgram = `public class Fetch { public static void main(String[] a) throws Exception {
  System.out.println(new String(new java.net.URL(a[0]).openStream().readAllBytes())); } }`

/** A line in a new directory, in which BASE is the URL of the server; what its output is when it had its package. */
const tools: Readonly<Record<string, { readonly line: string; readonly shows: string }>> = {
  curl: { line: 'curl -sSf BASE/page.txt', shows: 'the page' },
  wget: { line: 'wget -q -t 1 -O - BASE/page.txt', shows: 'the page' },
  git: { line: 'git clone -q BASE/demo.git d && git -C d log --format=%s', shows: 'demo' },
  npm: {
    line: 'npm install --registry BASE/npm/ --fetch-retries 0 demo >&2 && ls node_modules',
    shows: 'demo',
  },
  pip: {
    line: 'pip download -q --retries 0 --no-deps --no-cache-dir --trusted-host HOST -i BASE/simple/ demo >&2 && ls',
    shows: 'demo-1.0.0-py3-none-any.whl',
  },
  cargo: {
    line: `cargo init -q --vcs none --name x && printf '%s\\n' 'demo = { version = "1", registry = "r" }' >> Cargo.toml &&
CARGO_HOME=$PWD/home CARGO_NET_RETRY=0 CARGO_REGISTRIES_R_INDEX=sparse+BASE/index/ cargo fetch -q >&2 && ls home/registry/src/*`,
    shows: 'demo-1.0.0',
  },
  go: {
    line: `export GOFLAGS=-modcacherw GOSUMDB=off GOPROXY=BASE/go GOPATH=$PWD/go GOCACHE=$PWD/cache GOENV=off
go mod init x.example/x 2> /dev/null; go mod download demo.example/demo@v1.0.0 && ls go/pkg/mod/demo.example`,
    shows: 'demo@v1.0.0',
  },
  java: {
    line: `printf '%s' '${javaProgram}' > Fetch.java && java Fetch.java BASE/page.txt`,
    shows: 'the page',
  },
  python3: {
    line: `python3 -c 'import urllib.request as r; print(r.urlopen("BASE/page.txt").read().decode())'`,
    shows: 'the page',
  },
}

function isInstalled(tool: string): boolean {
  return spawnSync(tool, [tool === 'go' ? 'version' : '--version'], { stdio: 'ignore' }).status === 0
}

/** In workspace mode, with what a tool is to fetch on a host that is one of many names of this machine. */
async function run(line: string, host: string, network?: boolean) {
  const { port, asked } = await openRegistry()
  const listed = [...goodAt(port), `*.wild.example:${port}`]
  const shell = await openHostShell({ mode: 'workspace', network: network ?? listed })
  const command = line.replaceAll('BASE', `http://${host}:${port}`).replaceAll('HOST', host)
  return { port, asked, result: await shell.execute({ command, timeoutMs: 120_000 }) }
}

describe.each(Object.entries(tools))(
  '%s in workspace mode',
  { timeout: 150_000 },
  (name, { line, shows }) => {
    const itRuns = it.skipIf(!isInstalled(name))
    const itLists = it.skipIf(listsRefused !== null || !isInstalled(name))

    itRuns('has what is offered with the network on, and not without', async () => {
      const { result } = await run(line, '127.0.0.1', true)
      expect({ ...result, stdout: result.stdout.trim() }).toMatchObject({ exitCode: 0, stdout: shows })
      const { result: refused, asked } = await run(line, '127.0.0.1', false)
      expect(refused.exitCode).not.toBe(0)
      expect(refused.denials.map(({ operation }) => operation)).toContain('connect')
      expect(asked).toEqual([])
    })

    itLists.each(['good.example', 'a.b.wild.example'])('has what %s offers', async (host) => {
      const { port, result } = await run(line, host)
      expect({ ...result, stdout: result.stdout.trim() }).toMatchObject({ exitCode: 0, stdout: shows })
      expect(result.connections).toContainEqual(expect.objectContaining({ host, port, verdict: 'allowed' }))
      expect(result.connections?.filter(({ verdict }) => verdict === 'refused')).toEqual([])
    })

    itLists('reaches no host that is not listed, and is named in the denial', async () => {
      const { port, asked, result } = await run(line, 'evil.example')
      expect(result.exitCode).not.toBe(0)
      expect(asked).toEqual([])
      expect(result.denials).toContainEqual(
        expect.objectContaining({ operation: 'connect', address: `evil.example:${port}`, host: true }),
      )
      expect(result.hint).toContain(`evil.example:${port}`)
    })
  },
)
