import type { Sandbox } from './sandbox.ts'

export function macosSandbox(): Sandbox {
  throw new Error('later')
}
