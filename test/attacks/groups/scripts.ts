import { spawnSync } from 'node:child_process'
import { type Attack, attack, type Choices, harmless, succeeds } from '../attack.ts'
import { userNamespaces } from '../needs.ts'
import { survivors } from '../targets/host.ts'
import { abstractListener, listenerAtPath, listenerOnPort } from '../targets/listener.ts'
import { terminal } from '../targets/terminal.ts'
import { victim } from '../targets/victim.ts'

/** Optional programs. */
function needing(...names: readonly string[]): Choices {
  const isThere = (name: string) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0
  return { needs: names.map((name) => () => (isThere(name) ? null : `${name} is not installed`)) }
}

const by =
  (script: 'sh' | 'python3' | 'node', always: Choices = {}) =>
  (text: string, ...choices: readonly Choices[]) =>
    attack(text, { script, text }, always, ...choices)

const [sh, node, python] = [by('sh'), by('node'), by('python3', needing('python3'))]

const swept = { target: survivors, ...harmless('what the command started ends with it') }
const ofVictim = { target: victim }
const stream = { target: listenerAtPath('stream') }
const granted = { network: 'granted' } as const

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
  sh('git init -q {new}', needing('git')),
  sh('flock -x -n {file} true', needing('flock'), succeeds),
  sh('kill -USR1 {pid}', ofVictim),
  sh('renice -n 19 -p {pid}', ofVictim, needing('renice')),
  sh('taskset -p 1 {pid}', ofVictim, needing('taskset', 'nproc'), succeeds),
  sh('prlimit --pid {pid} --nofile=64:64', ofVictim, needing('prlimit')),
  sh('echo hello > {terminal}', { target: terminal }),
  sh('find {directory} -name file -delete; test ! -e {file}', needing('find')),
  sh('tar -C {directory} -cf {new} file', needing('tar')),
  sh('perl -e \'unlink "{file}" or exit 1\'', needing('perl')),
  sh('{sleep} 20 & true', swept),
  sh('setsid {sleep} 20 > /dev/null 2>&1 & true', swept, needing('setsid')),
  sh('nohup {sleep} 20 > /dev/null 2>&1 & true', swept, needing('nohup')),
  sh('unshare --user --map-root-user sh -c "echo changed > {file}"', needing('unshare'), {
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
  node('process.kill({pid},"SIGUSR1")', ofVictim),
  node('require("os").setPriority({pid},19)', ofVictim),
  node(connect.replace('{where}', '"{place}"'), stream),
  node(connect.replace('{where}', '{port},"127.0.0.1"'), { target: listenerOnPort('tcp'), ...granted }),
  node(
    'const c=require("child_process").spawn("{sleep}",["20"],{detached:true,stdio:"ignore"});c.unref()',
    swept,
  ),
]

const pythons: readonly Attack[] = [
  python('open("{file}","w").write("changed")'),
  python('import os; os.truncate("{file}",0)'),
  python('import os; os.replace("{file}","{new}")'),
  python('import os; os.utime("{file}",(1000,1000))'),
  python('import os; os.setxattr("{file}","user.new",b"1")', succeeds),
  python('import mmap; f=open("{file}","r+"); mmap.mmap(f.fileno(),0)[0]=88'),
  python('import tempfile; tempfile.mkdtemp(dir="{directory}")'),
  python('import os; os.kill({pid},10)', ofVictim),
  python('import os; os.sched_setaffinity({pid},[min(os.sched_getaffinity({pid}))])', ofVictim, succeeds),
  python('import socket; socket.socket(socket.AF_UNIX).connect("{place}")', stream),
  python('import socket; socket.socket(socket.AF_UNIX).connect("\\0"+"{place}"[1:])', {
    target: abstractListener('stream'),
  }),
  python('import socket; socket.socket(socket.AF_INET,socket.SOCK_DGRAM).sendto(b"x",("127.0.0.1",{port}))', {
    target: listenerOnPort('udp'),
    ...granted,
  }),
  python('import subprocess; subprocess.Popen(["{sleep}","20"],start_new_session=True)', swept),
]

/** What an agent would really type: one-liners of the shell, Node and Python. */
export const scripts: readonly Attack[] = [...shell, ...nodes, ...pythons]
