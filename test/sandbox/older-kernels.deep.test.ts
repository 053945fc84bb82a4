import { describeAbi } from './older-kernels.ts'

for (const abi of [3, 4, 5]) describeAbi(abi)
