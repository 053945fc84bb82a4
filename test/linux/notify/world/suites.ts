/** Test suites of other projects, as Debian ships them: what each needs, how it is run, and which tests fail in it. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const fixtures = fileURLToPath(new URL('../../../fixtures/world', import.meta.url))

export interface Suite {
  readonly name: string
  /** A file of a Debian package that has to be there. */
  readonly needs: { readonly file: string; readonly package: string }
  readonly argv: readonly string[]
  readonly cwd?: string
  /** Prepares a directory outside of the sandbox. */
  readonly prepare?: (directory: string) => void
  readonly passed: RegExp
  readonly failed: RegExp
  /** Tests that fail in workspace mode only, with the reason. */
  readonly exceptions: Readonly<Record<string, string>>
}

const noDatagrams = 'UDP and datagram unix sockets stay shut'
const noRaw = 'raw sockets stay shut'
const noOwners = 'files are not given to others'
const noPipeSizes = 'F_SETPIPE_SZ of a FIFO would change it for its other users'
const noWatch = 'F_NOTIFY watches directories without a limit'
const noGroups = 'the groups of a process do not change'

const pythons: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'test_asyncio.test_streams': {},
  'test_asyncio.test_subprocess': {},
  'test_asyncio.test_unix_events': { test_create_unix_server_path_dgram: noDatagrams },
  test_concurrent_futures: {},
  test_dbm: {},
  test_fcntl: { test_fcntl_64_bit: noWatch, test_fcntl_f_pipesize: noPipeSizes },
  test_ftplib: {},
  test_glob: {},
  test_httpservers: {},
  test_mmap: {},
  test_multiprocessing_spawn: {},
  test_os: {
    test_chown_with_root: noOwners,
    test_chown_without_permission: noOwners,
  },
  test_pathlib: {},
  test_posix: {
    test_chown: noOwners,
    test_fchown: noOwners,
    test_lchown: noOwners,
    test_initgroups: noGroups,
    test_setgroups: noGroups,
  },
  test_posixpath: {},
  test_pty: {},
  test_select: {},
  test_selectors: {},
  test_shutil: {},
  test_signal: {},
  test_smtplib: {},
  test_socketserver: {},
  test_sqlite3: {},
  test_ssl: { test_unsupported_dtls: noDatagrams },
  test_subprocess: { test_pipesizes: noPipeSizes },
  test_tempfile: {},
  test_threading: {},
  test_urllib2_localnet: {},
  test_venv: {},
  test_wsgiref: {},
  test_xmlrpc: {},
  test_zipfile: {},
}

/** Those of few seconds. */
const quickPythons = [
  'test_asyncio.test_unix_events',
  'test_dbm',
  'test_fcntl',
  'test_ftplib',
  'test_httpservers',
  'test_mmap',
  'test_posix',
  'test_pty',
  'test_select',
  'test_selectors',
  'test_smtplib',
  'test_urllib2_localnet',
  'test_wsgiref',
  'test_xmlrpc',
]

const whole = process.env['VITRINE_SUITES'] === 'all'
const python = '/usr/bin/python3.11'

function pythonSuite(module: string): Suite {
  return {
    name: `CPython's ${module}`,
    needs: { file: '/usr/lib/python3.11/test/test_pty.py', package: 'libpython3.11-testsuite' },
    argv: [python, '-m', 'test', '-v', module],
    passed: /\.\.\. ok$/gm,
    failed: /^(?:FAIL|ERROR): (\w+)/gm,
    exceptions: pythons[module] ?? {},
  }
}

const goRoot = '/usr/lib/go-1.19'

const goExceptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  net: {
    TestAllocs: noDatagrams,
    TestCloseError: noDatagrams,
    TestConnAndPacketConn: noDatagrams,
    TestDialerControl: noDatagrams,
    TestDualStackUDPListener: noDatagrams,
    TestFileConn: noDatagrams,
    TestFilePacketConn: noDatagrams,
    TestIPConnLocalName: noRaw,
    TestIPConnRemoteName: noRaw,
    TestIPConnSpecificMethods: noRaw,
    TestIPv6WriteMsgUDPAddrPortTargetAddrIPVersion: noDatagrams,
    TestListenConfigControl: noDatagrams,
    TestPacketConn: noDatagrams,
    TestPacketConnClose: noDatagrams,
    TestReadFromTimeout: noDatagrams,
    TestReadFromTimeoutFluctuation: noDatagrams,
    TestReadUnixgramWithUnnamedSocket: noDatagrams,
    TestSplice: noDatagrams,
    TestUDPConnLocalAndRemoteNames: noDatagrams,
    TestUDPConnSpecificMethods: noDatagrams,
    TestUDPIPVersionReadMsg: noDatagrams,
    TestUDPListener: noDatagrams,
    TestUDPReadSizeError: noDatagrams,
    TestUDPReadTimeout: noDatagrams,
    TestUDPServer: noDatagrams,
    TestUDPZeroByteBuffer: noDatagrams,
    TestUDPZeroBytePayload: noDatagrams,
    TestUnixConnSpecificMethods: noDatagrams,
    TestUnixgramAutobind: noDatagrams,
    TestUnixgramConnLocalAndRemoteNames: noDatagrams,
    TestUnixgramLinuxAbstractLongName: noDatagrams,
    TestUnixgramServer: noDatagrams,
    TestUnixgramWrite: noDatagrams,
    TestUnixgramZeroByteBuffer: noDatagrams,
    TestUnixgramZeroBytePayload: noDatagrams,
    TestWriteToTimeout: noDatagrams,
    TestWriteToUDP: noDatagrams,
  },
}

/** `-short`: nothing of it leaves the machine. */
function goSuite(name: string): Suite {
  return {
    name: `Go's ${name}`,
    needs: { file: `${goRoot}/src/${name}`, package: 'golang-1.19-src' },
    argv: ['TESTED', '-test.short', '-test.v'],
    cwd: `${goRoot}/src/${name}`,
    prepare: (directory) => {
      const env = { ...process.env, GOCACHE: join(directory, 'cache'), GOFLAGS: '-mod=mod', GOPROXY: 'off' }
      const argv = ['test', '-c', '-o', join(directory, 'tested'), name]
      execFileSync(`${goRoot}/bin/go`, argv, { env, cwd: `${goRoot}/src`, stdio: 'pipe' })
    },
    passed: /^--- PASS: /gm,
    failed: /^--- FAIL: (\w+)/gm,
    exceptions: goExceptions[name] ?? {},
  }
}

function certify(directory: string): void {
  cpSync(join(fixtures, 'node-suite.mjs'), join(directory, 'suite.mjs'))
  const words = 'req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost'
  const argv = [...words.split(' '), '-addext', 'subjectAltName=DNS:localhost']
  execFileSync('openssl', argv, { cwd: directory, stdio: 'pipe' })
}

const nodeSuite: Suite = {
  name: 'servers of node:http, https, http2, net, cluster and worker threads',
  needs: { file: '/usr/bin/openssl', package: 'openssl' },
  argv: ['node', '--test', '--test-reporter=tap', 'suite.mjs'],
  prepare: certify,
  passed: /^ *ok /gm,
  failed: /^ {4}not ok \d+ - (.*)|^not ok \d+ - (.*)/gm,
  exceptions: { datagrams: noDatagrams },
}

export const suites: readonly Suite[] = [
  nodeSuite,
  ...Object.keys(pythons)
    .filter((module) => whole || quickPythons.includes(module))
    .map(pythonSuite),
  ...['os/exec', 'net', ...(whole ? ['net/rpc', 'net/http'] : [])].map(goSuite),
]

export function isThere({ needs }: Suite): boolean {
  return existsSync(needs.file)
}
