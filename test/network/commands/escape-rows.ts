/** Ways past the list of hosts. N: the port of a server whose address is listed, not its names; A: one whose address is not. */
export type Escape = { readonly name: string } & (
  | { readonly python: string }
  | { readonly line: string }
  /** Sent to the proxy; `honest`: what reaches the server where it is listed, if the same bytes never do. */
  | { readonly bytes: string; readonly honest?: string }
)

/** Programs that connect past the proxy. `V`: the victim's port; P: the proxy's. */
const programs = {
  'curl without a proxy': "curl -sS --noproxy '*' http://127.0.0.1:$V/",
  'curl without the environment': 'env -i curl -sS http://127.0.0.1:$V/',
  'curl from an interface': "curl -sS --noproxy '*' --interface lo http://127.0.0.1:$V/",
  'curl by IPv6': "curl -sS --noproxy '*' 'http://[::1]:'$V/",
  'wget without a proxy': 'wget -q -t 1 -T 3 --no-proxy -O - http://127.0.0.1:$V/',
  'a redirection of bash': "bash -c 'exec 3<>/dev/tcp/127.0.0.1/$V'",
  'git without a proxy': 'git -c http.proxy= ls-remote http://127.0.0.1:$V/x',
  perl: `perl -MIO::Socket::INET -e 'IO::Socket::INET->new("127.0.0.1:$ENV{V}")'`,
  node: `node -e 'require("net").connect(+process.env.V, "127.0.0.1").on("connect", () => process.exit()).on("error", () => {})'`,
  'a process in a session of its own': `setsid sh -c "curl -sS --noproxy '*' http://127.0.0.1:$V/"; sleep 0.2`,
}

const pythons = {
  'a connection': 's.connect(("127.0.0.1", V))',
  'a connection that does not wait':
    's.setblocking(False); s.connect_ex(("127.0.0.1", V)); select.select([], [s], [], 1)',
  'IPv6 loopback': 's6.connect(("::1", V))',
  'the mapped address': 's6.connect(("::ffff:127.0.0.1", V))',
  'another address of loopback': 's.connect(("127.0.0.2", V))',
  'the unspecified address': 's.connect(("0.0.0.0", V))',
  'the unspecified IPv6 address': 's6.connect(("::", V))',
  'a bound socket': 's.bind(("127.0.0.1", 0)); s.connect(("127.0.0.1", V))',
  'a duplicate': 's.dup().connect(("127.0.0.1", V))',
  'TCP fast open by sendto': 's.sendto(b"x", socket.MSG_FASTOPEN, ("127.0.0.1", V))',
  'TCP fast open by sendmsg': 's.sendmsg([b"x"], [], socket.MSG_FASTOPEN, ("127.0.0.1", V))',
  'TCP fast open by connect': 's.setsockopt(6, 30, 1); s.connect(("127.0.0.1", V)); s.send(b"x")',
  'a second connection of a socket':
    's.connect(("127.0.0.1", P)); libc.connect(s.fileno(), bytes(16), 16); s.connect(("127.0.0.1", V))',
  'a child': 'pid = os.fork()\nif pid == 0: s.connect(("127.0.0.1", V))\nelse: os.waitpid(pid, 0)',
  'a daemon': 'if os.fork() == 0: os.setsid(); s.connect(("127.0.0.1", V))\nelse: os.wait()',
  'a thread': 't = threading.Thread(target=lambda: s.connect(("127.0.0.1", V))); t.start(); t.join()',
  'a long address': 'libc.connect(s.fileno(), sockaddr(V) + bytes(100), 116)',
  'a new namespace': 'libc.unshare(0x40000000); s.connect(("127.0.0.1", V))',
  'an address that changes': `import time
buffer = ctypes.create_string_buffer(sockaddr(P), 16)
def change(): # once a turn: between turns another thread may run
    for port in itertools.cycle((V, P)):
        if done: return
        buffer[2:4] = port.to_bytes(2, "big")
done = False; threading.Thread(target=change).start()
for attempt in range(300):
    if attempt % 10 == 0: time.sleep(0.001) # else the other thread may stand still at P throughout
    with socket.socket() as one: libc.connect(one.fileno(), buffer, 16)
done = True`,
  'another protocol of TCP':
    'socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262).connect(("127.0.0.1", V))',
  'urllib without a proxy':
    'import urllib.request as r; r.build_opener(r.ProxyHandler({})).open(f"http://127.0.0.1:{V}/", timeout=3)',
  'a datagram': 'udp.sendto(b"x", ("127.0.0.1", V))',
  'a connected datagram socket': 'udp.connect(("127.0.0.1", V)); udp.send(b"x")',
  'a datagram by IPv6': 'socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).sendto(b"x", ("::1", V))',
  'a datagram by sendmsg': 'udp.sendmsg([b"x"], [], 0, ("127.0.0.1", V))',
  'a lookup of its own':
    'udp.sendto(bytes.fromhex("0001010000010000000000000161000001" "0001"), ("127.0.0.1", V))',
}

const connectTo = (target: string, host = target) =>
  `CONNECT ${target} HTTP/1.1\r\nHost: ${host}\r\nAUTH\r\n\r\n`
const get = (url: string, host: string, more = '') =>
  `GET ${url} HTTP/1.1\r\nHost: ${host}\r\nAUTH\r\n${more}\r\n`
const evil = connectTo('evil.example:N')
const good = get('http://good.example:G/', 'good.example:G')
const inside = 'GET http://evil.example:N/ HTTP/1.1\r\nHost: evil.example:N\r\n\r\n'
const posted = (headers: string, body: string) =>
  `POST http://good.example:G/ HTTP/1.1\r\nHost: good.example:G\r\nAUTH\r\n${headers}\r\n\r\n${body}`

const requests: Readonly<Record<string, readonly [string, string?]>> = {
  'a tunnel to a host that is not listed': [evil],
  'a request for it': [get('http://evil.example:N/', 'evil.example:N')],
  'capital letters and a dot': [connectTo('EVIL.example.:N')],
  'a name that begins with a listed one': [connectTo('good.example.evil.example:N')],
  'a name that ends with a listed one': [connectTo('notgood.example:N')],
  'the wildcard without a label': [connectTo('wild.example:N')],
  'a name that ends with the wildcard without its dot': [connectTo('xwild.example:N')],
  'another port of a listed host': [connectTo('good.example:N')],
  'a listed name whose address is not': [connectTo('inner.example:A')],
  'the address': [connectTo('127.0.0.1:A')],
  'the address as one number': [connectTo('2130706433:A')],
  'the address as a hexadecimal number': [connectTo('0x7f.1:A')],
  'the address as an octal number': [connectTo('0177.0.0.1:A')],
  'the address with two numbers': [connectTo('127.1:A')],
  'the mapped address in a tunnel': [connectTo('[::ffff:7f00:1]:A')],
  'the name localhost': [connectTo('localhost:A')],
  'IPv6 loopback in a tunnel': [connectTo('[::1]:A')],
  'a Host header of a listed host': [connectTo('evil.example:N', 'good.example:G'), evil],
  'a Host header of another host': [get('http://good.example:G/', 'evil.example:N'), evil],
  'two Host headers': [get('http://good.example:G/', 'good.example:G', 'Host: evil.example:N\r\n'), evil],
  'a user before the host': [get('http://good.example:G@evil.example:N/', 'evil.example:N'), evil],
  'a tunnel with a user before the host': [connectTo('good.example:G@evil.example:N'), evil],
  'a fragment after the host': [get('http://evil.example:N#@good.example:G/', 'good.example:G'), evil],
  'a request in origin form': [get('/', 'evil.example:N'), evil],
  'another scheme': [get('https://evil.example:N/', 'evil.example:N'), evil],
  'a second request of a connection': [`${good}${inside}`],
  'a body with two lengths': [posted(`Content-Length: 4\r\nContent-Length: ${inside.length}`, inside), evil],
  'a body that is chunked and has a length': [
    posted(`Content-Length: ${inside.length + 5}\r\nTransfer-Encoding: chunked`, `0\r\n\r\n${inside}`),
    evil,
  ],
  'a length with a sign': [posted('Content-Length: +0', inside), evil],
  'an unknown encoding': [posted('Transfer-Encoding: xchunked', `0\r\n\r\n${inside}`), evil],
  'lines that end without CR': [inside.replaceAll('\r\n', '\n').replace('\n\n', '\nAUTH\n\n'), evil],
  'a NUL in the host': [connectTo('good.example\0.evil.example:N'), evil],
}

function rows<V>(table: Readonly<Record<string, V>>, row: (value: V) => object): Escape[] {
  return Object.entries(table).map(([name, value]) => ({ name, ...row(value) }) as Escape)
}

export const escapes: readonly Escape[] = [
  ...rows(programs, (line) => ({ line })),
  ...rows(pythons, (python) => ({ python })),
  ...rows(requests, ([bytes, honest]) => ({ bytes, ...(honest && { honest }) })),
]
