import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'

// For a real Mac. NOT YET RUN on one. Each attack is harmless if it succeeds.
const skip = process.platform === 'darwin' ? false : 'this is not macOS'

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'vitrine-macos-')))
after(() => rmSync(directory, { recursive: true, force: true }))
const file = join(directory, 'file')
const marker = join(homedir(), `.vitrine-attack-${process.pid}`)
after(() => rmSync(marker, { force: true }))

async function run(command, options = {}) {
  const { openShell } = await import('../../dist/index.js')
  const shell = await openShell({ cwd: directory, mode: 'read', ...options })
  try {
    return await shell.execute({ command, timeoutMs: 20_000 })
  } finally {
    await shell.close()
  }
}

/** What can be changed of the file, with extended attributes, flags and the access control list. */
function look() {
  const { mode, uid, gid, mtimeMs, size, nlink } = statSync(file, { throwIfNoEntry: false }) ?? {}
  const { stdout: extended } = spawnSync('/bin/ls', ['-lO@e', file], { encoding: 'utf8' })
  return { mode, uid, gid, mtimeMs, size, nlink, content: readFileSync(file, 'utf8'), extended }
}

const attacks = {
  write: `echo changed > ${file}`,
  append: `echo changed >> ${file}`,
  create: `touch ${directory}/made`,
  unlink: `rm -f ${file}`,
  rename: `mv ${file} ${directory}/moved`,
  link: `ln ${file} ${directory}/linked`,
  symlink: `ln -s ${file} ${directory}/symlinked`,
  mode: `chmod 777 ${file}`,
  flags: `chflags hidden ${file}`,
  times: `touch -t 200101010000 ${file}`,
  xattr: `xattr -w test x ${file}`,
  finderinfo: `xattr -wx com.apple.FinderInfo ${'00'.repeat(32)} ${file} && xattr -w com.apple.ResourceFork x ${file}`,
  group: `chgrp everyone ${file}`,
  swap: `echo other > ${directory}/other; mv -f ${directory}/other ${file}`,
  acl: `chmod +a 'everyone allow write' ${file}`,
  clone: `cp -c ${file} ${directory}/cloned`,
  truncate: `: > ${file}`,
  mkdir: `mkdir ${directory}/directory`,
  mkfifo: `mkfifo ${directory}/fifo`,
  home: `touch ${marker}`,
}

for (const [what, command] of Object.entries(attacks))
  test(`read mode refuses: ${what}`, { skip }, async () => {
    writeFileSync(file, 'as it was')
    chmodSync(file, 0o644)
    const before = look()
    const { exitCode } = await run(command)
    assert.notEqual(exitCode, 0)
    assert.deepEqual(look(), before)
    assert.equal(statSync(marker, { throwIfNoEntry: false }), undefined)
  })

test('read mode connects to no unix socket, with the network on too', { skip }, async () => {
  let connected = 0
  const server = createServer(() => {
    connected++
  })
  await new Promise((resolve) => server.listen(join(directory, 'docker.sock'), resolve))
  after(() => server.close())
  for (const network of [false, true]) await run('nc -U docker.sock < /dev/null', { network })
  assert.equal(connected, 0)
})

test('read mode starts nothing through LaunchServices or launchd', { skip }, async () => {
  for (const command of [
    `open -g -a Terminal ${directory}`,
    `osascript -e 'do shell script "touch ${marker}"'`,
    `launchctl submit -l vitrine.attack -- /usr/bin/touch ${marker}`,
  ])
    await run(command)
  assert.equal(statSync(marker, { throwIfNoEntry: false }), undefined)
})

test('read mode leaves settings, clipboard, disks and schedules alone', { skip }, async () => {
  const domain = `vitrine.attack.${process.pid}`
  const outside = (program, ...args) => spawnSync(program, args, { encoding: 'utf8' }).stdout
  const clipboard = outside('/usr/bin/pbpaste')
  const mounts = outside('/sbin/mount')
  const image = join(directory, 'image.dmg')
  after(() => {
    outside('/usr/bin/defaults', 'delete', domain)
    outside('/usr/bin/hdiutil', 'detach', '/Volumes/vitrine-attack')
    spawnSync('/usr/bin/pbcopy', { input: clipboard })
  })
  outside('/usr/bin/hdiutil', 'create', '-size', '1m', '-fs', 'HFS+', '-volname', 'vitrine-attack', image)
  for (const command of [
    `defaults write ${domain} key value`,
    'echo attacked | pbcopy',
    `hdiutil attach -nobrowse ${image}`,
    `echo 'touch ${marker}' | at now`,
  ])
    await run(command)
  assert.equal(outside('/usr/bin/defaults', 'read', domain), '')
  assert.equal(outside('/usr/bin/pbpaste'), clipboard)
  assert.equal(outside('/sbin/mount'), mounts)
  assert.equal(statSync(marker, { throwIfNoEntry: false }), undefined)
})

test('read mode runs what Xcode stands in for, git and java as they run outside', { skip }, async () => {
  const outside = (program, ...args) => spawnSync(program, args, { cwd: directory, encoding: 'utf8' }).status
  outside('/usr/bin/git', 'init', '-q', directory)
  for (const [program, ...args] of [
    ['/usr/bin/xcrun', '--find', 'clang'],
    ['/usr/bin/clang', '--version'],
    ['/usr/bin/git', 'status', '--short'],
    ['/usr/bin/java', '-version'],
  ])
    assert.equal((await run([program, ...args].join(' '))).exitCode, outside(program, ...args), program)
})

test('git status in read mode leaves the index alone', { skip }, async () => {
  const git = (...args) => spawnSync('/usr/bin/git', ['-C', directory, ...args])
  git('init', '-q')
  git('add', 'file')
  writeFileSync(file, readFileSync(file))
  const index = () => statSync(join(directory, '.git/index')).mtimeMs
  const before = index()
  assert.equal((await run('git status --short')).exitCode, 0)
  assert.equal(index(), before)
})

test('read mode signals no process outside', { skip }, async () => {
  assert.notEqual((await run(`kill -0 ${process.pid}`)).exitCode, 0)
})

test('a private tmp is all that can be written to', { skip }, async () => {
  const lines = [
    'echo x > "$TMPDIR/a" && cat "$TMPDIR/a"',
    `ln ${file} "$TMPDIR/b"`,
    'mknod "$TMPDIR/c" c 3 2',
  ]
  writeFileSync(file, 'as it was')
  const before = look()
  const { stdout } = await run(`${lines.join('; ')}; ls "$TMPDIR"; echo x > ${file}; echo "$TMPDIR"`, {
    privateTmp: true,
  })
  const [content, names, path] = stdout.trim().split('\n')
  assert.deepEqual([content, names], ['x', 'a'])
  assert.equal(statSync(path, { throwIfNoEntry: false }), undefined)
  assert.deepEqual(look(), before)
})

test('what is unreadable stays so, by every name, and is listed', { skip }, async () => {
  const config = join(directory, 'config.toml')
  const secret = join(directory, 'secret')
  mkdirSync(secret)
  writeFileSync(join(secret, 'key'), 'the key')
  symlinkSync(join(secret, 'key'), join(directory, 'another'))
  writeFileSync(config, `[shell]\nunreadable = ["${secret}"]`)
  const { stdout } = await run('cat secret/key another; ls secret', { config })
  assert.equal(stdout.trim(), 'key')
})

for (const [what, command] of [
  ['in another case', 'cat secret/key'],
  [
    'cloned with its directory',
    `perl -e 'syscall(462, -2, "secret", -2, "$ENV{TMPDIR}/x", 0)'; cat "$TMPDIR/x/key"`,
  ],
  ['moved', 'mv secret/key x; mv secret y; cat x y/key'],
])
  test(`what is unreadable stays so in workspace mode: ${what}`, { skip }, async () => {
    const workspace = realpathSync(mkdtempSync(join(directory, 'read-')))
    const config = join(directory, 'unreadable.toml')
    mkdirSync(join(workspace, 'secret'))
    writeFileSync(join(workspace, 'secret/key'), 'the key')
    const named = what === 'in another case' ? 'SECRET' : 'secret'
    writeFileSync(config, `[shell]\nunreadable = ["${join(workspace, named)}"]`)
    const { stdout } = await run(command, { config, cwd: workspace, mode: 'workspace' })
    assert.equal(stdout, '')
  })

test('what read mode is for works', { skip }, async () => {
  writeFileSync(file, 'seen')
  assert.equal((await run(`cat ${file} | tr a-z A-Z; echo > /dev/null`)).stdout.trim(), 'SEEN')
  assert.equal((await run('git --version')).exitCode, 0)
  // For TMPDIR is private, without an option.
  assert.equal((await run('cat <<E\nhere\nE')).stdout, 'here\n')
})

/** Runs a line in workspace mode, in a new repository; what the line leaves there is for the test to see. */
async function inRepository(command) {
  const repository = realpathSync(mkdtempSync(join(directory, 'repository-')))
  const git = (...args) => spawnSync('/usr/bin/git', ['-C', repository, ...args], { encoding: 'utf8' }).stdout
  git('init', '-q')
  git('config', 'user.name', 'Test')
  git('config', 'user.email', 'test@example.org')
  const config = () => readFileSync(join(repository, '.git/config'), 'utf8')
  const before = config()
  const { exitCode } = await run(command, { cwd: repository, mode: 'workspace' })
  return { repository, git, exitCode, kept: config() === before }
}

test('workspace mode works in the repository and nowhere else', { skip }, async () => {
  const { git, exitCode } = await inRepository(
    `echo x > a && mkdir -p d/e && mv a d/e && git add -A && git commit -qm one && ! touch ${marker}`,
  )
  assert.equal(exitCode, 0)
  assert.equal(git('log', '--format=%s').trim(), 'one')
  assert.equal(statSync(marker, { throwIfNoEntry: false }), undefined)
})

for (const [what, command, path] of [
  ['a path that is absent', 'touch .envrc', '.envrc'],
  ['it in upper case', 'touch .ENVRC', '.envrc'],
  ['it with another letter', 'mkdir .hu\u017fky', '.husky'],
  ['a directory that brings it', 'mkdir -p x/workflows && mv x .github', '.github/workflows'],
  ['a clone that brings it', 'mkdir -p x/workflows && cp -cR x .github', '.github/workflows'],
  ['a symbolic link', 'ln -s /tmp .vscode', '.vscode'],
  ['its parent, moved', 'mv .git moved', 'moved'],
  ['another name of it', 'ln .git/config linked; echo x >> linked', 'linked'],
  ['its content', 'echo x >> .git/config', 'x'],
  ['its content in upper case', 'echo x >> .GIT/CONFIG', 'x'],
  ['its metadata', 'chmod 777 .git/config; xattr -w a b .git/config', 'x'],
])
  test(`workspace mode keeps what is protected: ${what}`, { skip }, async () => {
    const { repository, kept } = await inRepository(command)
    assert.ok(kept)
    assert.equal(statSync(join(repository, path), { throwIfNoEntry: false }), undefined)
  })
