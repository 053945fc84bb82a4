import { describe, expect, it } from 'vitest'
import { type Row, writes } from './projects.ts'

/** Of git and of programs beside it; each names what a later command outside runs or obeys. */
const keys = `
pager.log: sh monitor
pager.log: ./monitor
remote.origin.uploadpack: ./monitor
remote.origin.receivepack: tools/clean.py
remote.a.b.uploadpack: ./monitor
gpg.ssh.defaultKeyCommand: ./monitor
gpg.program: ./monitor
core.alternateRefsCommand: ./monitor
submodule.x.update: !tools/clean.py
sendemail.smtpServer: ./monitor
sendemail.toCmd: tools/clean.py
difftool.x.path: ./monitor
difftool.x.cmd: tools/clean.py "$LOCAL"
mergetool.x.cmd: python3 tools/clean.py
imap.tunnel: ./monitor
man.x.path: ./monitor
browser.x.path: ./monitor
instaweb.httpd: ./monitor -f
lfs.customtransfer.x.path: ./monitor
lfs.customtransfer.x.args: tools/clean.py
lfs.extension.x.clean: ./monitor
gpg.ssh.allowedSignersFile: monitor
http.sslCAInfo: monitor
init.templateDir: tools
hook.x.command: ./monitor
trailer.x.command: ./monitor
uploadpack.packObjectsHook: ./monitor
gc.recentObjectsHook: ./monitor
alias.x: !tools/clean.py
alias.x: !cd free && sh ../monitor
unheard.of: some --option=tools/clean.py
unheard.of: "$PWD"/tools/clean.py
unheard.of: $(git rev-parse --show-toplevel)/tools/clean.py
unheard.of: \${HERE:-.}/tools/clean.py
unheard.of: PATH=./tools:$PATH x
filter.x.clean: "tools/a b" %f
filter.x.clean: tools/a\\ b %f
gpg.program: tools/a b
core.hooksPath: tools/a b
`
  .trim()
  .split('\n')
  .map((line) => line.split(/: (.*)/) as [string, string])

function written(value: string): string {
  const all = ['monitor', 'tools/a b', 'tools/clean.py'].find(
    (name) => value.includes(name) || value.includes(name.replace(' ', '\\ ')),
  )
  return all ?? 'tools/new'
}

const rows = keys.map(([key, value]): Row => {
  const path = written(value)
  return { given: `git config '${key}' '${value}'`, path, command: `echo x >> '${path}'` }
})

/** Names without a slash count where an executable file has one. */
const executable: readonly Row[] = ['unheard.of', 'alias.x', 'core.editor'].map((key) => ({
  given: `chmod 755 monitor; git config ${key} 'do monitor'`,
  path: 'monitor',
}))

const address: Row = {
  given: 'git config unheard.of "file://$PWD/tools/clean.py"',
  path: 'tools/clean.py',
}

const harmless: readonly Row[] = [
  { given: 'git config remote.origin.url tools', path: 'tools/clean.py' },
  { given: 'git config remote.origin.url ./tools/clean.py', path: 'tools/clean.py' },
  { given: 'git config remote.origin.fetch tools/clean.py:x', path: 'tools/clean.py' },
  { given: 'git config remote.origin.pushurl "$PWD/tools"', path: 'tools/clean.py' },
  { given: 'git config branch.x.description tools/clean.py', path: 'tools/clean.py' },
  { given: 'git config user.signingKey tools/clean.py', path: 'tools/clean.py' },
  { given: 'git config --global safe.directory "$PWD/tools"', path: 'tools/clean.py' },
  { given: 'git config --global maintenance.repo "$PWD/tools"', path: 'tools/clean.py' },
  { given: 'git config gitflow.prefix.feature tools/', path: 'tools/clean.py' },
  { given: 'git config submodule.tools.url ./tools', path: 'tools/clean.py' },
  { given: 'git config lfs.fetchexclude tools/', path: 'tools/clean.py' },
  { given: 'git config url.x.insteadOf tools/', path: 'tools/clean.py' },
  { given: 'git config core.excludesFile monitor', path: 'monitor' },
  { given: 'git config init.defaultBranch monitor; chmod 755 monitor', path: 'monitor' },
  { given: 'git config alias.x "diff tools/"', path: 'tools/clean.py' },
  { given: 'git config alias.x "!git add tools/"', path: 'tools/clean.py' },
  { given: 'git config alias.x "log origin/main"; mkdir origin', path: 'origin/main' },
  { given: 'git config merge.tool monitor', path: 'monitor' },
  { given: 'git config difftool.x.path nvim', path: 'nvim' },
]

describe.runIf(process.platform === 'linux')('a value of any key of git', () => {
  it.each([...rows, ...executable, address])('protects $path: $given', async (row) => {
    expect([await writes(row, 'workspace'), await writes(row, 'write')]).toEqual([false, true])
  })

  it.each(harmless)('that is data leaves $path open: $given', async (row) => {
    expect(await writes(row, 'workspace')).toBe(true)
  })
})
