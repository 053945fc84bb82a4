import { spawnSync } from 'node:child_process'
import { type Arrange, type Attack, attack, type Choices, type Command, type Need } from '../../attack.ts'
import { userNamespaces } from '../../needs.ts'
import { files } from '../../targets/files.ts'
import { survivors } from '../../targets/host.ts'
import { abstractListener, listenerAtPath, listenerOnPort } from '../../targets/listener.ts'
import { terminal } from '../../targets/terminal.ts'
import { victim } from '../../targets/victim.ts'

/** Optional programs: looked for once, by name. */
function program(name: string): Need {
  return () => {
    const found = spawnSync('sh', ['-c', `command -v ${name}`]).status === 0
    return found ? null : `${name} is not installed`
  }
}

const line = (script: 'sh' | 'python3' | 'node', text: string): Command => ({ script, text })

const sh = (text: string, target: Arrange = files, choices: Choices = {}) =>
  attack(text, line('sh', text), target, choices)
const node = (text: string, target: Arrange = files, choices: Choices = {}) =>
  attack(text, line('node', text), target, choices)
const python = (text: string, target: Arrange = files, choices: Choices = {}) =>
  attack(text, line('python3', text), target, { needs: [program('python3')], ...choices })

const swept: Choices = { expect: { kind: 'harmless', reason: 'what the command started ends with it' } }
const needing = (...names: readonly string[]): Choices => ({ needs: names.map(program) })

const shell: readonly Attack[] = [
  sh('echo changed > {file}'),
  sh('echo changed >> {file}'),
  sh(': > {file}'),
  sh('echo created > {new}'),
  sh('rm -f {file}; test ! -e {file}'),
  sh('mv {file} {new}'),
  sh('cp {other} {new}'),
  sh('ln -s nowhere {new}'),
  sh('mkdir {new}'),
  sh('rmdir {empty}'),
  sh('touch {file}'),
  sh('chmod 600 {file}'),
  sh('dd if=/dev/zero of={file} count=1 2>&1'),
  sh('tee {file} < {other} > /dev/null'),
  sh('sed -i s/here/there/ {file}'),
  sh('mkfifo {new}'),
  sh('git init -q {new}', files, needing('git')),
  sh('flock -x -n {file} true', files, { ...needing('flock'), control: { kind: 'success' } }),
  sh('kill -USR1 {pid}', victim),
  sh('renice -n 19 -p {pid}', victim, needing('renice')),
  sh('taskset -p 1 {pid}', victim, { ...needing('taskset', 'nproc'), control: { kind: 'success' } }),
  sh('prlimit --pid {pid} --nofile=64:64', victim, needing('prlimit')),
  sh('echo hello > {terminal}', terminal),
  sh('find {directory} -name file -delete; test ! -e {file}', files, needing('find')),
  sh('tar -C {directory} -cf {new} file', files, needing('tar')),
  sh('perl -e \'unlink "{file}" or exit 1\'', files, needing('perl')),
  sh('{sleep} 20 & true', survivors, swept),
  sh('setsid {sleep} 20 > /dev/null 2>&1 & true', survivors, {
    ...swept,
    ...needing('setsid'),
  }),
  sh('nohup {sleep} 20 > /dev/null 2>&1 & true', survivors, {
    ...swept,
    ...needing('nohup'),
  }),
  sh('unshare --user --map-root-user sh -c "echo changed > {file}"', files, {
    ...needing('unshare'),
    control: { kind: 'success', needs: [userNamespaces] },
  }),
]

const connect =
  'require("net").connect({where}).on("error",()=>process.exit(1)).on("connect",()=>process.exit(0))'

const nodes: readonly Attack[] = [
  node('require("fs").writeFileSync("{file}","changed")'),
  node('require("fs").appendFileSync("{file}","changed")'),
  node('require("fs").truncateSync("{file}",0)'),
  node('require("fs").unlinkSync("{file}")'),
  node('require("fs").chmodSync("{file}",0o600)'),
  node('require("fs").lutimesSync("{file}",1000,1000)'),
  node('require("fs").cpSync("{file}","{new}")'),
  node('require("fs").mkdtempSync("{directory}/made-")'),
  node('process.kill({pid},"SIGUSR1")', victim),
  node('require("os").setPriority({pid},19)', victim),
  node(connect.replace('{where}', '"{place}"'), listenerAtPath('stream')),
  node(connect.replace('{where}', '{port},"127.0.0.1"'), listenerOnPort('tcp'), { network: 'granted' }),
  node(
    'const c=require("child_process").spawn("{sleep}",["20"],{detached:true,stdio:"ignore"});c.unref()',
    survivors,
    swept,
  ),
]

const pythons: readonly Attack[] = [
  python('open("{file}","w").write("changed")'),
  python('import os; os.truncate("{file}",0)'),
  python('import os; os.replace("{file}","{new}")'),
  python('import os; os.utime("{file}",(1000,1000))'),
  python('import os; os.setxattr("{file}","user.new",b"1")', files, { control: { kind: 'success' } }),
  python('import mmap; f=open("{file}","r+"); mmap.mmap(f.fileno(),0)[0]=88'),
  python('import tempfile; tempfile.mkdtemp(dir="{directory}")'),
  python('import os; os.kill({pid},10)', victim),
  python('import os; os.sched_setaffinity({pid},[min(os.sched_getaffinity({pid}))])', victim, {
    needs: [program('python3')],
    control: { kind: 'success' },
  }),
  python('import socket; socket.socket(socket.AF_UNIX).connect("{place}")', listenerAtPath('stream')),
  python(
    'import socket; socket.socket(socket.AF_UNIX).connect("\\0"+"{place}"[1:])',
    abstractListener('stream'),
  ),
  python(
    'import socket; socket.socket(socket.AF_INET,socket.SOCK_DGRAM).sendto(b"x",("127.0.0.1",{port}))',
    listenerOnPort('udp'),
    { network: 'granted' },
  ),
  python('import subprocess; subprocess.Popen(["{sleep}","20"],start_new_session=True)', survivors, swept),
]

/** What an agent would really type: one-liners of the shell, Node and Python. */
export const scripts: readonly Attack[] = [...shell, ...nodes, ...pythons]
