// A worker thread that runs commands until it is terminated. Some would go on for long.
import { parentPort, workerData } from 'node:worker_threads'
import { openShell } from '../../dist/index.js'

const { ground, marker } = workerData
const shell = await openShell({ cwd: ground, mode: 'read' })
shell.execute({ command: `sleep ${marker} & sleep ${marker}` })
for (;;) {
  await shell.execute({ command: 'echo hi; echo x > file' })
  parentPort.postMessage('started')
}
