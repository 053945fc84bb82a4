import type { Check } from './check.ts'

export const denialReported: Check = {
  right: 'denial reports',
  name: 'name what was refused',
  async run({ read, directory }) {
    const note = read.enforcement['denial reports']?.note ?? ''
    if (read.enforcement['denial reports']?.enforced !== true) return { state: 'lacking', said: note }
    const { denials } = await read.execute({ command: ': > new', cwd: directory })
    const [first] = denials.filter(({ operation }) => operation === 'create')
    // Where Yama hides the memory of commands this path cannot be reported; the call is still refused.
    if (!first) return { state: note === '' ? 'open' : 'lacking', said: note }
    return { state: 'enforced', said: `${first.operation} ${first.path ?? note}` }
  },
}
