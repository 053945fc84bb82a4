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

/** By suite: the reason, and the ends of the names. */
const exceptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'servers of node:http, https, http2, net, cluster and worker threads': { [noDatagrams]: 'datagrams' },
  "CPython's test_asyncio.test_unix_events": { [noDatagrams]: 'test_create_unix_server_path_dgram' },
  "CPython's test_fcntl": { [noWatch]: 'test_fcntl_64_bit', [noPipeSizes]: 'test_fcntl_f_pipesize' },
  "CPython's test_os": { [noOwners]: 'test_chown_with_root test_chown_without_permission' },
  "CPython's test_posix": {
    [noOwners]: 'test_chown test_fchown test_lchown',
    [noGroups]: 'test_initgroups test_setgroups',
  },
  "CPython's test_subprocess": { [noPipeSizes]: 'test_pipesizes' },
  "CPython's test_mmap": {
    [noLargeFiles]: 'test_around_2GB test_around_4GB test_large_filesize test_large_offset',
  },
  "CPython's test_shutil": { [noAttributes]: 'test_copy2_xattr test_copyxattr test_copyxattr_symlinks' },
  "CPython's test_zipfile": {
    [noInstalled]: `test_write_filtered_python_package test_write_pyfile test_write_python_package
      test_write_with_optimization`,
  },
  "Go's net/http": { [noStrace]: 'TestLinuxSendfile' },
  "perl's IO::Socket and Socket": {
    [noDatagrams]: `cachepropagate-udp.t cachepropagate-unix.t io_sock.t io_udp.t 01local-client-v4.t 02local-server-v4.t
      03local-cross-v4.t 04local-client-v6.t 05local-server-v6.t 06local-cross-v6.t socketpair.t`,
    [noReusePort]: '11sockopts.t',
  },
  "Go's net": {
    [noDatagrams]: `TestAllocs TestCloseError TestConnAndPacketConn TestDialerControl TestDualStackUDPListener TestFileConn
      TestFilePacketConn TestIPv6WriteMsgUDPAddrPortTargetAddrIPVersion TestListenConfigControl TestPacketConn
      TestPacketConnClose TestReadFromTimeout TestReadFromTimeoutFluctuation TestReadUnixgramWithUnnamedSocket TestSplice
      TestUDPConnLocalAndRemoteNames TestUDPConnSpecificMethods TestUDPIPVersionReadMsg TestUDPListener
      TestUDPReadSizeError TestUDPReadTimeout TestUDPServer TestUDPZeroByteBuffer TestUDPZeroBytePayload
      TestUnixConnSpecificMethods TestUnixgramAutobind TestUnixgramConnLocalAndRemoteNames
      TestUnixgramLinuxAbstractLongName TestUnixgramServer TestUnixgramWrite TestUnixgramZeroByteBuffer
      TestUnixgramZeroBytePayload TestWriteToTimeout TestWriteToUDP`,
    [noRaw]: 'TestIPConnLocalName TestIPConnRemoteName TestIPConnSpecificMethods',
  },
}

/** Ends of the names of these tests. */
export function exceptionsOf(suite: string): readonly string[] {
  return Object.values(exceptions[suite] ?? {}).flatMap((names) => names.split(/\s+/))
}
