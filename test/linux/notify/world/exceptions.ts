/** Tests of other projects' suites that pass outside and not in workspace and read mode, with the reason. */
const noDatagrams = 'UDP and datagram unix sockets stay shut'
const noRaw = 'raw sockets stay shut'
const noOwners = 'files are not given to others'
const noPipeSizes = 'F_SETPIPE_SZ of a FIFO would change it for its other users'
const noWatch = 'F_NOTIFY watches directories without a limit'
const noReusePort = 'SO_REUSEPORT is pretended: a real one would take connections of other servers'
const noLargeFiles = 'a file in the private TMPDIR has at most 1 GiB'
const noAttributes = 'skipped: extended attributes other than user.* do not change'
const noInstalled = 'skipped: the installed Python is not writable'
const noStrace = 'skipped: strace(1) is refused'
const noGroups = 'the groups of a process do not change'

const exceptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'servers of node:http, https, http2, net, cluster and worker threads': { datagrams: noDatagrams },
  "CPython's test_asyncio.test_unix_events": { test_create_unix_server_path_dgram: noDatagrams },
  "CPython's test_fcntl": { test_fcntl_64_bit: noWatch, test_fcntl_f_pipesize: noPipeSizes },
  "CPython's test_os": {
    test_chown_with_root: noOwners,
    test_chown_without_permission: noOwners,
  },
  "CPython's test_posix": {
    test_chown: noOwners,
    test_fchown: noOwners,
    test_lchown: noOwners,
    test_initgroups: noGroups,
    test_setgroups: noGroups,
  },
  "CPython's test_pty": {},
  "CPython's test_subprocess": { test_pipesizes: noPipeSizes },
  "CPython's test_mmap": {
    test_around_2GB: noLargeFiles,
    test_around_4GB: noLargeFiles,
    test_large_filesize: noLargeFiles,
    test_large_offset: noLargeFiles,
  },
  "CPython's test_shutil": {
    test_copy2_xattr: noAttributes,
    test_copyxattr: noAttributes,
    test_copyxattr_symlinks: noAttributes,
  },
  "CPython's test_zipfile": {
    test_write_filtered_python_package: noInstalled,
    test_write_pyfile: noInstalled,
    test_write_python_package: noInstalled,
    test_write_with_optimization: noInstalled,
  },
  "Go's net/http": { TestLinuxSendfile: noStrace },
  "perl's IO::Socket and Socket": {
    'cachepropagate-udp.t': noDatagrams,
    'cachepropagate-unix.t': noDatagrams,
    'io_sock.t': noDatagrams,
    'io_udp.t': noDatagrams,
    '01local-client-v4.t': noDatagrams,
    '02local-server-v4.t': noDatagrams,
    '03local-cross-v4.t': noDatagrams,
    '04local-client-v6.t': noDatagrams,
    '05local-server-v6.t': noDatagrams,
    '06local-cross-v6.t': noDatagrams,
    '11sockopts.t': noReusePort,
    'socketpair.t': noDatagrams,
  },
  "Go's net": {
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

/** Ends of the names of these tests. */
export function exceptionsOf(suite: string): readonly string[] {
  return Object.keys(exceptions[suite] ?? {})
}
