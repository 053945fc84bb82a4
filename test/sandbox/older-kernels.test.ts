import { describeAbi, describeUnsandboxed } from './older-kernels.ts'

/** The oldest, the last without truncate(2), and the first that keeps signals inside. older-kernels.deep.test.ts has the others. */
for (const abi of [1, 2, 6]) describeAbi(abi)

describeUnsandboxed()
