import { tryWithout } from './no-descriptors.ts'

tryWithout(Array.from({ length: 16 }, (_, left) => left))
