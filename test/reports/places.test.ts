import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { Home } from '../cli/vitrine.ts'
import { isInstalled } from '../helpers/programs.ts'
import { type Report, reports } from './case.ts'

const home = new Home()
const own = (name: string) => join(home.directory, name)
const said = (text: string) => expect.stringContaining(text)

/** R10 and R11 need packages from a registry: a program with their system calls stands for each. */
const listener = `const net = require('node:net')
  const path = process.env.TMPDIR + '/' + process.argv[2]
  require('node:fs').mkdirSync(require('node:path').dirname(path), { recursive: true })
  net.createServer()
    .on('error', (e) => { console.error(process.argv[1] + ': socket: ' + e.message); console.log(e.code); process.exit(1) })
    .listen(path, () => { console.log('ok'); process.exit() })`

const server = `import http from 'node:http'
  const s = http.createServer((q, r) => r.end('pong')).on('error', (e) => { console.log(e.code); process.exit(1) })
  s.listen(0, '127.0.0.1', async () => {
    console.log(await (await fetch('http://127.0.0.1:' + s.address().port)).text()); s.close()
  })`

const refusals: readonly Report[] = [
  {
    name: 'R07 places whose files programs obey are not advised to be opened, and not opened',
    script: `git init -q .; mkdir -p ~/.gnupg ~/.ssh ~/.local/bin
      for f in .gnupg/gpg-agent.conf .ssh/config .local/bin/ls; do
        vitrine run --mode workspace -- "echo x > ~/$f"
      done
      printf '[workspace]\\nwritable = ["~/.ssh"]\\n' > c.toml
      vitrine run --config c.toml --mode workspace -- 'echo "ProxyCommand evil" > ~/.ssh/config.vt-test && echo ACCEPTED'`,
    check(ran) {
      expect(ran.stdout).toBe('')
      expect(ran.stderr).not.toMatch(/add \S*(?:\.gnupg|\.ssh|\.local\/bin) to \[workspace\] writable/)
      expect(existsSync(own('.ssh/config.vt-test'))).toBe(false)
    },
  },
  {
    name: 'R09 a server answers its own command, with the network open or not',
    script: `git init -q .; cat > t.mjs <<'J'
${server}
J
      vitrine run --mode workspace -- node t.mjs; vitrine run --mode workspace --network -- node t.mjs`,
    ran: { stdout: 'pong\npong\n', stderr: '' },
  },
  {
    name: 'R10 tsx has its socket',
    script: `git init -q .; mkdir -p node_modules/.bin; cat > node_modules/.bin/tsx <<'J'
#!/usr/bin/env node
${listener}
J
      chmod +x node_modules/.bin/tsx; echo 'console.log("ok")' > a.mjs
      vitrine run --mode workspace -- ./node_modules/.bin/tsx tsx-0/1.pipe
      vitrine run --mode workspace -- node a.mjs`,
    ran: { stdout: 'ok\nok\n', stderr: '' },
  },
]

const temporary = join(home.directory, 'outside')
mkdirSync(temporary)

const held: readonly Report[] = [
  {
    name: 'R40 secrets of the environment do not pass; a URL with a password does in write mode, which is documented',
    env: { MY_API_KEY: 'secret-1', GH_TOKEN: 'secret-2', DATABASE_URL: 'postgres://u:pw@h/db', FOO: 'a b' },
    script: `git init -q .
      vitrine run --mode workspace -- env | grep -c 'secret-\\|pw@'
      vitrine run --write -- env | grep 'secret-[12]$\\|pw@'
      vitrine run -- 'tr "\\0" "\\n" < /proc/$PPID/environ' 2>/dev/null || echo refused`,
    ran: { stdout: '0\nDATABASE_URL=postgres://u:pw@h/db\nrefused\n' },
  },
  {
    name: 'R41 temporary files are private, and the shared directory is refused with a hint',
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
    name: 'R42 a listed address is reached by the proxy, and a name that leads to one is told to list it',
    needs: ['curl'],
    script: `cat > s.mjs <<'J'
import http from 'node:http'
const s = http.createServer((q, r) => r.end('pong\\n')).listen(0, '127.0.0.1', () => console.log(s.address().port))
J
      mkfifo up; node s.mjs > up & read -r port < up
      vitrine run --allow-host 127.0.0.1:$port -- curl -s http://127.0.0.1:$port/
      vitrine run --allow-host localhost:$port -- curl -sS http://localhost:$port/ >/dev/null
      kill $!`,
    ran: { stdout: 'pong\n', stderr: said('list the address') },
  },
]

reports(home, [...refusals, ...held], isInstalled)
