import { beforeAll, describe, expect, it } from 'vitest'
import { remedies } from '../../../src/messages/hints.ts'
import { cannotBorrow } from '../../helpers/surroundings.ts'
import { type Ground, makeGround, shorts } from '../../linux/notify/denied.ts'

let ground: Ground

beforeAll(async () => {
  ground = await makeGround({ network: true })
})

const socket = (more: string) =>
  `import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); ${more}`
const group = 'socket.inet_aton("239.77.77.77") + socket.inet_aton("127.0.0.1")'

interface Row {
  readonly what: string
  readonly script: string
  readonly told: string
  readonly remedy?: string
}

const rows: readonly Row[] = [
  {
    what: 'a port of choice',
    script: socket('s.bind(("127.0.0.1", 20077))'),
    told: 'listen 127.0.0.1:20077',
  },
  {
    what: 'a server',
    script: 'import socket; socket.create_server(("127.0.0.1", 20077))',
    told: 'listen 127.0.0.1:20077',
    remedy: remedies.user.ownSockets['no-private-tmp'],
  },
  {
    what: 'a multicast group',
    script: socket(`s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, ${group})`),
    told: 'socket multicast group',
  },
  {
    what: 'a protocol',
    script: 'import socket; socket.socket(socket.AF_INET, 1, 262)',
    told: 'socket inet mptcp',
  },
  { what: 'a unix socket', script: 'import socket; socket.socket(socket.AF_UNIX)', told: 'socket unix' },
]

describe.runIf(process.platform === 'linux')('with the network on, what stays shut is told', () => {
  it.for(rows)('$what', async ({ script, told, remedy = remedies.user.write }) => {
    const result = await ground.shell.execute({ argv: ['/usr/bin/python3', '-c', script] })
    expect(result.exitCode).not.toBe(0)
    expect(shorts(result)).toEqual([told])
    expect(result.hint).toContain(remedy)
    expect(result.hint).not.toContain(remedies.user.network)
  })

  it('and what a client binds is not', async ({ skip }) => {
    const reason = cannotBorrow()
    if (reason !== null) return skip(reason)
    const bound = 's.bind(("127.0.0.1", 0)); print(s.getsockname()[1] > 0)'
    const result = await ground.shell.execute({ argv: ['/usr/bin/python3', '-c', socket(bound)] })
    expect([result.stdout, shorts(result)]).toEqual(['True\n', []])
  })
})
