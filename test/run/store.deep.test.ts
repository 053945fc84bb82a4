import { describeStored } from './stored.ts'

// 64 MiB in all.
describeStored({ commands: 12, lines: 4_300_000, cuts: [0, 1001, 30_000] })
