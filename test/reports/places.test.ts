import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { Home } from '../cli/vitrine.ts'
import { isInstalled } from '../helpers/programs.ts'
import { type Report, reports } from './case.ts'

const home = new Home()
const said = (text: string) => expect.stringContaining(text)

const server = `import http from 'node:http'
  const s = http.createServer((q, r) => r.end('pong')).on('error', (e) => { console.log(e.code); process.exit(1) })
  s.listen(0, '127.0.0.1', async () => {
    console.log(await (await fetch('http://127.0.0.1:' + s.address().port)).text()); s.close()
  })`

const refusals: readonly Report[] = [
  {
    id: 'R09',
    wanted: 'a server is refused, and with the network open is not told to open it',
    script: `git init -q .; cat > t.mjs <<'J'
${server}
J
      vitrine run --mode workspace -- node t.mjs; vitrine run --mode workspace --network -- node t.mjs 2> err
      cat err`,
    check({ stdout }) {
      expect(stdout).toMatch(/^EACCES\nEACCES\n/)
      expect(stdout).toContain('refuses to listen')
      expect(stdout).not.toContain('--network')
    },
  },
  {
    id: 'R16',
    wanted: 'a pool of processes is refused its semaphore with the place, and works where that is open',
    needs: ['python3'],
    script: `git init -q .; pool='import multiprocessing as m; p=m.Pool(2); print(p.map(abs,[-1,-2]))'
      vitrine run --mode workspace -- "python3 -c '$pool'"
      printf '[workspace]\\nwritable = ["/dev/shm"]\\n' > shm.toml
      vitrine run --config shm.toml --mode workspace -- "python3 -c '$pool'"`,
    check: (ran) => expect(ran).toMatchObject({ code: 0, stdout: '[1, 2]\n', stderr: said('/dev/shm') }),
  },
]

const temporary = join(home.directory, 'outside')
mkdirSync(temporary)

const held: readonly Report[] = [
  {
    id: 'R40',
    wanted:
      'secrets of the environment do not pass; a URL with a password does in write mode, which is documented',
    env: { MY_API_KEY: 's1', GH_TOKEN: 's2', DATABASE_URL: 'postgres://u:pw@h/db', FOO: 'a b' },
    script: `git init -q .
      vitrine run --mode workspace -- env | grep -c 's1\\|s2\\|pw@'
      vitrine run --write -- env | grep 's1$\\|s2$\\|pw@'
      vitrine run -- 'tr "\\0" "\\n" < /proc/$PPID/environ' 2>/dev/null || echo refused`,
    check: (ran) => expect(ran).toMatchObject({ stdout: '0\nDATABASE_URL=postgres://u:pw@h/db\nrefused\n' }),
  },
  {
    id: 'R41',
    wanted: 'temporary files are private, and the shared directory is refused with a hint',
    needs: ['python3'],
    env: { OUTSIDE: temporary },
    script: `git init -q .
      vitrine run --mode workspace -- 'f=$(mktemp) && test "\${f#"$TMPDIR"/}" != "$f" && echo private
        python3 -c "import os,tempfile; print(tempfile.mkdtemp().startswith(os.environ[\\"TMPDIR\\"]))"
        echo x > '"'$OUTSIDE'"'/vt-x'
      ls "$OUTSIDE"; TMPDIR=/nonexistent vitrine run --mode workspace -- true; echo $?`,
    check(ran) {
      expect(ran.stdout).toBe('private\nTrue\n125\n')
      expect(ran.stderr).toContain('refuses to create')
      expect(ran.stderr).toContain('/nonexistent')
    },
  },
  {
    id: 'R42',
    wanted: 'a listed address is reached by the proxy, and a name that leads to one is told to list it',
    needs: ['curl'],
    script: `cat > s.mjs <<'J'
import http from 'node:http'
const s = http.createServer((q, r) => r.end('pong\\n')).listen(0, '127.0.0.1', () => console.log(s.address().port))
J
      mkfifo up; node s.mjs > up & read -r port < up
      vitrine run --allow-host 127.0.0.1:$port -- curl -s http://127.0.0.1:$port/
      vitrine run --allow-host localhost:$port -- curl -sS http://localhost:$port/ >/dev/null
      kill $!`,
    check: (ran) => expect(ran).toMatchObject({ stdout: 'pong\n', stderr: said('list the address') }),
  },
]

reports(home, [...refusals, ...held], isInstalled)
